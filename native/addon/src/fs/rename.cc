#include "fs/rename.h"

#include <cstdio>

#if defined(__linux__)
#  include <linux/fs.h>
#  include <sys/syscall.h>
#  include <unistd.h>
#endif

#include "fs/descriptor.h"
#include "fs/result.h"

namespace mesh::fs {

namespace {

#if defined(__linux__)
constexpr const char* kSystemCall = "renameat2";

// By number: the C libraries this is built for do not all have the function.
int RenameExclusively(int directory, const char* source, int target_directory, const char* target) {
  return static_cast<int>(syscall(SYS_renameat2, directory, source, target_directory, target, RENAME_NOREPLACE));
}
#else
constexpr const char* kSystemCall = "renameatx_np";

int RenameExclusively(int directory, const char* source, int target_directory, const char* target) {
  return renameatx_np(directory, source, target_directory, target, RENAME_EXCL);
}
#endif

}  // namespace

Napi::Value Rename(const Napi::CallbackInfo& info) {
  Descriptor* directory = UnwrapDescriptor(info[0]);
  Descriptor* target_directory = UnwrapDescriptor(info[2]);
  Name source;
  Name target;
  if (directory == nullptr || target_directory == nullptr || !source.Read(info[1]) || !target.Read(info[3])) {
    return WrongArgument(info.Env(), "rename takes a descriptor and a name, twice");
  }
  int result = RetryInterrupted(
      [&] { return RenameExclusively(directory->number, source.c_str(), target_directory->number, target.c_str()); });
  if (result == -1) return Failure(info.Env(), errno, kSystemCall);
  return info.Env().Undefined();
}

}  // namespace mesh::fs
