#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mesh::runtime {

// Why the system did not open a library.
struct LibraryOpenFailure {
  std::string library;
  // The words of the system's loader.
  std::string system_error;
  // errno of reading the file itself; nothing when it is readable, so that the fault lies elsewhere.
  std::optional<int> file_errno;
  // The library that the loader names, when that is another than the file itself.
  std::optional<std::string> missing_dependency;
};

// Shared libraries in load order. They are opened with local binding, so that two runtimes never see each other's symbols,
// and with every symbol bound at once, so that a missing one shows now and not in the middle of a decode. Nothing is ever
// closed: threads, thread-locals and exit handlers of a native runtime outlive every reason to close it.
class LibrarySet {
 public:
  // Opens every path; what failed is in `failures`.
  static LibrarySet Open(const std::vector<std::string>& paths, std::vector<LibraryOpenFailure>& failures);

  // Looks from the last library backwards. `library` receives the index of the one that has it.
  void* Find(const char* symbol, std::size_t* library = nullptr) const;

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
  std::vector<void*> handles_;
};

// Whether somebody else than this copy of the addon has this library open in the process.
bool IsOpenedBySomebodyElse(const std::string& path);

// Paths of two lists name the same files.
bool NameSameFiles(const std::vector<std::string>& left, const std::vector<std::string>& right);

// What the loader names as missing in its message, when that is not `library` itself. Both glibc and musl say it in words
// alone; a wording that is not recognised costs the name and not the message.
std::optional<std::string> MissingDependencyIn(const std::string& system_error, const std::string& library);

}  // namespace mesh::runtime
