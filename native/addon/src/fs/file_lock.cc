#include "fs/file_lock.h"

#include <sys/file.h>

#include "fs/descriptor.h"
#include "fs/result.h"

namespace mesh::fs {

Napi::Value TryLock(const Napi::CallbackInfo& info) {
  Descriptor* file = UnwrapDescriptor(info[0]);
  if (file == nullptr) return WrongArgument(info.Env(), "tryLock takes a descriptor");
  int result = RetryInterrupted([&] { return flock(file->number, LOCK_EX | LOCK_NB); });
  if (result == -1 && errno == EWOULDBLOCK) return Napi::Boolean::New(info.Env(), false);
  if (result == -1) return Failure(info.Env(), errno, "flock");
  return Napi::Boolean::New(info.Env(), true);
}

Napi::Value Unlock(const Napi::CallbackInfo& info) {
  Descriptor* file = UnwrapDescriptor(info[0]);
  if (file == nullptr) return WrongArgument(info.Env(), "unlock takes a descriptor");
  int result = RetryInterrupted([&] { return flock(file->number, LOCK_UN); });
  if (result == -1) return Failure(info.Env(), errno, "flock");
  return info.Env().Undefined();
}

}  // namespace mesh::fs
