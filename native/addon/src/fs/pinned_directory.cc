#include "fs/pinned_directory.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "fs/descriptor.h"
#include "fs/private_directory.h"
#include "fs/result.h"

namespace mesh::fs {

namespace {

#if defined(O_PATH)
constexpr int kSearchOnly = O_PATH;
#elif defined(O_SEARCH)
constexpr int kSearchOnly = O_SEARCH;
#else
constexpr int kSearchOnly = O_RDONLY;
#endif

constexpr int kDirectoryFlags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

Napi::Value OpenRoot(const Napi::CallbackInfo& info) {
  int number = RetryInterrupted([] { return open("/", kSearchOnly | kDirectoryFlags); });
  if (number == -1) return Failure(info.Env(), errno, "open");
  return WrapDescriptor(info.Env(), number);
}

Napi::Value OpenDirectory(const Napi::CallbackInfo& info) {
  Descriptor* parent = UnwrapDescriptor(info[0]);
  Name name;
  if (parent == nullptr || !name.Read(info[1]) || !info[2].IsBoolean()) {
    return WrongArgument(info.Env(), "openDirectory takes a descriptor, a name and a boolean");
  }
  int access = info[2].As<Napi::Boolean>().Value() ? O_RDONLY : kSearchOnly;
  int number = RetryInterrupted([&] { return openat(parent->number, name.c_str(), access | kDirectoryFlags); });
  if (number == -1) return Failure(info.Env(), errno, "openat");
  return WrapDescriptor(info.Env(), number);
}

Napi::Value MakeDirectory(const Napi::CallbackInfo& info) {
  Descriptor* parent = UnwrapDescriptor(info[0]);
  Name name;
  if (parent == nullptr || !name.Read(info[1])) {
    return WrongArgument(info.Env(), "makeDirectory takes a descriptor and a name");
  }
  int error_number = MakePrivateDirectory(parent->number, name.c_str());
  if (error_number != 0) return Failure(info.Env(), error_number, "mkdirat");
  return info.Env().Undefined();
}

Napi::Value SetDirectoryMode(const Napi::CallbackInfo& info) {
  Descriptor* parent = UnwrapDescriptor(info[0]);
  Name name;
  if (parent == nullptr || !name.Read(info[1]) || !info[2].IsNumber()) {
    return WrongArgument(info.Env(), "setDirectoryMode takes a descriptor, a name and a mode");
  }
  mode_t mode = info[2].As<Napi::Number>().Uint32Value();
  int result = RetryInterrupted([&] { return fchmodat(parent->number, name.c_str(), mode, AT_SYMLINK_NOFOLLOW); });
  if (result == -1) return Failure(info.Env(), errno, "fchmodat");
  return info.Env().Undefined();
}

}  // namespace mesh::fs
