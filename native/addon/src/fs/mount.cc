#include "fs/mount.h"

#if defined(__linux__)
#  include <sys/vfs.h>
#else
#  include <sys/mount.h>
#  include <sys/param.h>
#endif
#include <sys/statvfs.h>

#include "fs/descriptor.h"
#include "fs/result.h"

namespace mesh::fs {

Napi::Value StatMount(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Descriptor* descriptor = UnwrapDescriptor(info[0]);
  if (descriptor == nullptr) return WrongArgument(env, "statMount takes a descriptor");
  struct statfs status {};
  int result = RetryInterrupted([&] { return fstatfs(descriptor->number, &status); });
  if (result == -1) return Failure(env, errno, "fstatfs");
  Napi::Object mount = Napi::Object::New(env);
  // The kernel's magic numbers have 32 bits; the field is a signed long and sign-extends on some processors.
  mount.Set("type", Napi::Number::New(env, static_cast<uint32_t>(status.f_type)));
#if defined(__linux__)
  mount.Set("typeName", env.Null());
  mount.Set("readOnly", Napi::Boolean::New(env, (status.f_flags & ST_RDONLY) != 0));
#else
  mount.Set("typeName", Napi::String::New(env, status.f_fstypename));
  mount.Set("readOnly", Napi::Boolean::New(env, (status.f_flags & MNT_RDONLY) != 0));
#endif
  return mount;
}

}  // namespace mesh::fs
