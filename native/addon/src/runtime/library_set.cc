#include "runtime/library_set.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>

namespace mesh::runtime {

namespace {

// Paths this copy of the addon has opened, admitted or not. Never destroyed, as everything of the process.
struct OpenedPaths {
  std::mutex mutex;
  std::set<std::string> paths;

  static OpenedPaths& Get() {
    static OpenedPaths& opened = *new OpenedPaths();
    return opened;
  }
};

std::string RealPath(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> resolved(realpath(path.c_str(), nullptr), &std::free);
  return resolved == nullptr ? path : std::string(resolved.get());
}

std::optional<int> FileErrno(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return errno;
  close(descriptor);
  return std::nullopt;
}

}  // namespace

LibrarySet LibrarySet::Open(const std::vector<std::string>& paths, std::vector<LibraryOpenFailure>& failures) {
  LibrarySet set;
  for (const std::string& path : paths) {
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) {
      OpenedPaths& opened = OpenedPaths::Get();
      const std::lock_guard<std::mutex> lock(opened.mutex);
      opened.paths.insert(RealPath(path));
      set.paths_.push_back(path);
      set.handles_.push_back(handle);
      continue;
    }
    const char* const said = dlerror();
    LibraryOpenFailure failure{path, said == nullptr ? "the system's loader gave no reason" : said, FileErrno(path), {}};
    if (!failure.file_errno.has_value()) failure.missing_dependency = MissingDependencyIn(failure.system_error, path);
    failures.push_back(std::move(failure));
  }
  return set;
}

void* LibrarySet::Find(const char* symbol, std::size_t* library) const {
  for (std::size_t index = handles_.size(); index-- > 0;) {
    void* const address = dlsym(handles_[index], symbol);
    if (address == nullptr) continue;
    if (library != nullptr) *library = index;
    return address;
  }
  return nullptr;
}

bool IsOpenedBySomebodyElse(const std::string& path) {
  OpenedPaths& opened = OpenedPaths::Get();
  const std::lock_guard<std::mutex> lock(opened.mutex);
  if (opened.paths.count(RealPath(path)) != 0) return false;
  // Opens nothing: it only answers when the library is in the process already.
  return dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD) != nullptr;
}

bool NameSameFiles(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  if (left.size() != right.size()) return false;
  for (std::size_t index = 0; index < left.size(); index += 1) {
    if (left[index] != right[index] && RealPath(left[index]) != RealPath(right[index])) return false;
  }
  return true;
}

std::optional<std::string> MissingDependencyIn(const std::string& system_error, const std::string& library) {
  static const std::string kMuslPrefix = "Error loading shared library ";
  static const std::string kGlibcMarker = ": cannot open shared object file";
  std::string name;
  if (system_error.compare(0, kMuslPrefix.size(), kMuslPrefix) == 0) {
    name = system_error.substr(kMuslPrefix.size(), system_error.find(':') - kMuslPrefix.size());
  } else if (const std::size_t end = system_error.find(kGlibcMarker); end != std::string::npos) {
    name = system_error.substr(0, end);
  }
  if (name.empty() || name == library) return std::nullopt;
  return name;
}

}  // namespace mesh::runtime
