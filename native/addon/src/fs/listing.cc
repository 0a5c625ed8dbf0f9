#include "fs/listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fs/descriptor.h"
#include "fs/result.h"

namespace mesh::fs {

namespace {

bool IsSelfOrParent(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

}  // namespace

Napi::Value OpenListing(const Napi::CallbackInfo& info) {
  Descriptor* directory = UnwrapDescriptor(info[0]);
  if (directory == nullptr) return WrongArgument(info.Env(), "openListing takes a descriptor");
  // Opened anew, because a duplicate would share the read position with the directory and with other listings.
  int number =
      RetryInterrupted([&] { return openat(directory->number, ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); });
  if (number == -1) return Failure(info.Env(), errno, "openat");
  DIR* stream = nullptr;
  do {
    stream = fdopendir(number);
  } while (stream == nullptr && errno == EINTR);
  if (stream == nullptr) {
    int error_number = errno;
    close(number);
    return Failure(info.Env(), error_number, "fdopendir");
  }
  return WrapStream(info.Env(), stream);
}

Napi::Value ReadListing(const Napi::CallbackInfo& info) {
  Descriptor* listing = UnwrapDescriptor(info[0]);
  if (listing == nullptr || listing->stream == nullptr || !info[1].IsNumber()) {
    return WrongArgument(info.Env(), "readListing takes a listing and a number of names");
  }
  uint32_t count_max = info[1].As<Napi::Number>().Uint32Value();
  Napi::Array names = Napi::Array::New(info.Env());
  while (names.Length() < count_max) {
    errno = 0;
    const dirent* entry = readdir(listing->stream);
    if (entry == nullptr && errno == EINTR) continue;
    if (entry == nullptr && errno != 0) return Failure(info.Env(), errno, "getdents");
    if (entry == nullptr) break;
    if (IsSelfOrParent(entry->d_name)) continue;
    names.Set(names.Length(), Napi::Buffer<char>::Copy(info.Env(), entry->d_name, std::strlen(entry->d_name)));
  }
  return names;
}

}  // namespace mesh::fs
