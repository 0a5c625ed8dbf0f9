#include "fs/effects.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/descriptor.h"
#include "fs/result.h"

namespace mesh::fs {

namespace {

// O_NONBLOCK has no effect on a regular file and keeps the open of anything else from waiting for a peer.
constexpr int kFileFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr mode_t kPrivateFileMode = 0600;

Napi::Value OpenAt(const Napi::CallbackInfo& info, int flags) {
  Descriptor* directory = UnwrapDescriptor(info[0]);
  Name name;
  if (directory == nullptr || !name.Read(info[1])) {
    return WrongArgument(info.Env(), "opening a file takes a descriptor and a name");
  }
  int number =
      RetryInterrupted([&] { return openat(directory->number, name.c_str(), flags | kFileFlags, kPrivateFileMode); });
  if (number == -1) return Failure(info.Env(), errno, "openat");
  return WrapDescriptor(info.Env(), number);
}

struct Transfer {
  Descriptor* file;
  uint8_t* bytes;
  size_t length;
  off_t position;
};

bool ReadTransfer(const Napi::CallbackInfo& info, Transfer* transfer) {
  transfer->file = UnwrapDescriptor(info[0]);
  if (transfer->file == nullptr || !info[1].IsTypedArray() || !info[2].IsNumber()) return false;
  auto array = info[1].As<Napi::TypedArray>();
  if (array.TypedArrayType() != napi_uint8_array) return false;
  auto bytes = array.As<Napi::Uint8Array>();
  transfer->bytes = bytes.Data();
  transfer->length = bytes.ByteLength();
  transfer->position = static_cast<off_t>(info[2].As<Napi::Number>().Int64Value());
  return true;
}

// Pushes what the operating system has to the device. On macOS fsync() alone leaves it in the drive's own cache.
int SyncDescriptor(int number) {
#if defined(F_FULLFSYNC)
  int result = RetryInterrupted([&] { return fcntl(number, F_FULLFSYNC); });
  if (result != -1 || (errno != ENOTSUP && errno != ENOTTY && errno != EINVAL)) return result;
#endif
  return RetryInterrupted([&] { return fsync(number); });
}

}  // namespace

Napi::Value CreateFile(const Napi::CallbackInfo& info) { return OpenAt(info, O_WRONLY | O_CREAT | O_EXCL); }

Napi::Value OpenFile(const Napi::CallbackInfo& info) { return OpenAt(info, O_RDONLY); }

Napi::Value OpenOrCreateLock(const Napi::CallbackInfo& info) { return OpenAt(info, O_RDWR | O_CREAT); }

Napi::Value SetMode(const Napi::CallbackInfo& info) {
  Descriptor* file = UnwrapDescriptor(info[0]);
  if (file == nullptr || !info[1].IsNumber()) return WrongArgument(info.Env(), "setMode takes a descriptor and a mode");
  mode_t mode = info[1].As<Napi::Number>().Uint32Value();
  int result = RetryInterrupted([&] { return fchmod(file->number, mode); });
  if (result == -1) return Failure(info.Env(), errno, "fchmod");
  return info.Env().Undefined();
}

Napi::Value Write(const Napi::CallbackInfo& info) {
  Transfer transfer{};
  if (!ReadTransfer(info, &transfer)) {
    return WrongArgument(info.Env(), "write takes a descriptor, a Uint8Array and a position");
  }
  ssize_t written =
      RetryInterrupted([&] { return pwrite(transfer.file->number, transfer.bytes, transfer.length, transfer.position); });
  if (written == -1) return Failure(info.Env(), errno, "pwrite");
  return Napi::Number::New(info.Env(), static_cast<double>(written));
}

Napi::Value Read(const Napi::CallbackInfo& info) {
  Transfer transfer{};
  if (!ReadTransfer(info, &transfer)) {
    return WrongArgument(info.Env(), "read takes a descriptor, a Uint8Array and a position");
  }
  ssize_t count =
      RetryInterrupted([&] { return pread(transfer.file->number, transfer.bytes, transfer.length, transfer.position); });
  if (count == -1) return Failure(info.Env(), errno, "pread");
  return Napi::Number::New(info.Env(), static_cast<double>(count));
}

Napi::Value Sync(const Napi::CallbackInfo& info) {
  Descriptor* descriptor = UnwrapDescriptor(info[0]);
  if (descriptor == nullptr) return WrongArgument(info.Env(), "sync takes a descriptor");
  if (SyncDescriptor(descriptor->number) == -1) return Failure(info.Env(), errno, "fsync");
  return info.Env().Undefined();
}

Napi::Value Link(const Napi::CallbackInfo& info) {
  Descriptor* directory = UnwrapDescriptor(info[0]);
  Descriptor* target_directory = UnwrapDescriptor(info[2]);
  Name source;
  Name target;
  if (directory == nullptr || target_directory == nullptr || !source.Read(info[1]) || !target.Read(info[3])) {
    return WrongArgument(info.Env(), "link takes a descriptor and a name, twice");
  }
  int result = RetryInterrupted(
      [&] { return linkat(directory->number, source.c_str(), target_directory->number, target.c_str(), 0); });
  if (result == -1) return Failure(info.Env(), errno, "linkat");
  return info.Env().Undefined();
}

Napi::Value Unlink(const Napi::CallbackInfo& info) {
  Descriptor* directory = UnwrapDescriptor(info[0]);
  Name name;
  if (directory == nullptr || !name.Read(info[1])) {
    return WrongArgument(info.Env(), "unlink takes a descriptor and a name");
  }
  int result = RetryInterrupted([&] { return unlinkat(directory->number, name.c_str(), 0); });
  if (result == -1) return Failure(info.Env(), errno, "unlinkat");
  return info.Env().Undefined();
}

}  // namespace mesh::fs
