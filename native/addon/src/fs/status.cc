#include "fs/status.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "fs/descriptor.h"
#include "fs/result.h"

namespace mesh::fs {

namespace {

// The order is known to file-status.ts as well.
enum StatusField : size_t {
  kKind,
  kDevice,
  kInode,
  kMode,
  kOwner,
  kGroup,
  kLinkCount,
  kSize,
  kModifiedNs,
  kChangedNs,
  kFieldCount,
};

enum Kind : int64_t { kUnknown, kRegular, kDirectory, kSymlink, kFifo, kSocket, kBlockDevice, kCharacterDevice };

constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr mode_t kModeBits = 07777;

Kind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return kRegular;
  if (S_ISDIR(mode)) return kDirectory;
  if (S_ISLNK(mode)) return kSymlink;
  if (S_ISFIFO(mode)) return kFifo;
  if (S_ISSOCK(mode)) return kSocket;
  if (S_ISBLK(mode)) return kBlockDevice;
  if (S_ISCHR(mode)) return kCharacterDevice;
  return kUnknown;
}

int64_t Nanoseconds(const timespec& time) {
  return static_cast<int64_t>(time.tv_sec) * kNanosecondsPerSecond + time.tv_nsec;
}

void Fill(const struct stat& status, int64_t* fields) {
#if defined(__APPLE__)
  const timespec& modified = status.st_mtimespec;
  const timespec& changed = status.st_ctimespec;
#else
  const timespec& modified = status.st_mtim;
  const timespec& changed = status.st_ctim;
#endif
  fields[kKind] = KindOf(status.st_mode);
  fields[kDevice] = static_cast<int64_t>(status.st_dev);
  fields[kInode] = static_cast<int64_t>(status.st_ino);
  fields[kMode] = status.st_mode & kModeBits;
  fields[kOwner] = status.st_uid;
  fields[kGroup] = status.st_gid;
  fields[kLinkCount] = static_cast<int64_t>(status.st_nlink);
  fields[kSize] = status.st_size;
  fields[kModifiedNs] = Nanoseconds(modified);
  fields[kChangedNs] = Nanoseconds(changed);
}

int64_t* ReadFields(Napi::Value value) {
  if (!value.IsTypedArray()) return nullptr;
  auto array = value.As<Napi::TypedArray>();
  if (array.TypedArrayType() != napi_bigint64_array || array.ElementLength() < kFieldCount) return nullptr;
  return array.As<Napi::BigInt64Array>().Data();
}

}  // namespace

Napi::Value StatName(const Napi::CallbackInfo& info) {
  Descriptor* directory = UnwrapDescriptor(info[0]);
  Name name;
  int64_t* fields = ReadFields(info[2]);
  if (directory == nullptr || !name.Read(info[1]) || fields == nullptr) {
    return WrongArgument(info.Env(), "statName takes a descriptor, a name and a BigInt64Array");
  }
  struct stat status {};
  int result = RetryInterrupted([&] { return fstatat(directory->number, name.c_str(), &status, AT_SYMLINK_NOFOLLOW); });
  if (result == -1 && errno == ENOENT) return Napi::Boolean::New(info.Env(), false);
  if (result == -1) return Failure(info.Env(), errno, "fstatat");
  Fill(status, fields);
  return Napi::Boolean::New(info.Env(), true);
}

Napi::Value StatDescriptor(const Napi::CallbackInfo& info) {
  Descriptor* descriptor = UnwrapDescriptor(info[0]);
  int64_t* fields = ReadFields(info[1]);
  if (descriptor == nullptr || fields == nullptr) {
    return WrongArgument(info.Env(), "statDescriptor takes a descriptor and a BigInt64Array");
  }
  struct stat status {};
  int result = RetryInterrupted([&] { return fstat(descriptor->number, &status); });
  if (result == -1) return Failure(info.Env(), errno, "fstat");
  Fill(status, fields);
  return info.Env().Undefined();
}

}  // namespace mesh::fs
