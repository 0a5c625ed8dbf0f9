#include "runtime/addon_copy.h"

#include <dlfcn.h>
#if defined(__linux__)
#  include <link.h>
#endif

#include <vector>

#include "runtime/admission.h"

// Two copies of the addon (two versions in one dependency tree) have two sets of everything that is process-wide here, and
// know nothing of each other. This one symbol is visible, so that a copy can ask the others what they run. Null when
// nothing is loaded. Its name carries its version: it may never change its meaning.
extern "C" __attribute__((visibility("default"))) const char* mesh_ffi_primary_library_v1(void) {
  const mesh::runtime::AdmittedRuntime* const runtime = mesh::runtime::Admitted();
  return runtime == nullptr ? nullptr : runtime->libraries.paths().back().c_str();
}

namespace mesh::runtime {

namespace {

std::vector<std::string> LoadedObjects() {
  std::vector<std::string> objects;
#if defined(__linux__)
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* collected) {
        if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/') {
          static_cast<std::vector<std::string>*>(collected)->emplace_back(info->dlpi_name);
        }
        return 0;
      },
      &objects);
#endif
  return objects;
}

}  // namespace

std::string OwnAddonPath() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&mesh_ffi_primary_library_v1), &info) == 0) return "unknown";
  return info.dli_fname == nullptr ? "unknown" : info.dli_fname;
}

std::optional<std::string> FindOtherCopy(const std::string& primary) {
  for (const std::string& object : LoadedObjects()) {
    void* const handle = dlopen(object.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    const auto asked =
        reinterpret_cast<decltype(&mesh_ffi_primary_library_v1)>(dlsym(handle, "mesh_ffi_primary_library_v1"));
    if (asked == nullptr || asked == &mesh_ffi_primary_library_v1) continue;
    const char* const library = asked();
    if (library != nullptr && NameSameFiles({library}, {primary})) return object;
  }
  return std::nullopt;
}

}  // namespace mesh::runtime
