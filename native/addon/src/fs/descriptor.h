#pragma once

#include <dirent.h>

#include <napi.h>

namespace mesh::fs {

// A descriptor that belongs to one JavaScript object. When that object is collected, or its environment ends (a worker
// that is terminated), the descriptor is closed, and the kernel drops the lock that hung on it.
struct Descriptor {
  int number = -1;
  // Set where the descriptor is being read as a directory; the stream then owns the number.
  DIR* stream = nullptr;

  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  // Closes what is open and returns 0, or the errno of the close. Open or not, it is closed afterwards.
  int Close();
};

// Makes the JavaScript object that owns `number`, and after this `number` is never the caller's to close.
Napi::Value WrapDescriptor(Napi::Env env, int number);
Napi::Value WrapStream(Napi::Env env, DIR* stream);

// The descriptor behind a value that one of the two functions above made, or nullptr for any other value.
Descriptor* UnwrapDescriptor(Napi::Value value);

// The name in an argument. JavaScript has already refused everything that is not one path component.
class Name {
 public:
  // False for anything but a string of at most kBytesMax bytes. A longer one is never cut to a name that fits.
  bool Read(Napi::Value value);
  const char* c_str() const { return bytes_; }

 private:
  static constexpr size_t kBytesMax = 255;
  // One byte more than the longest name, so that a name that is too long is told from one that just fits, and the NUL.
  char bytes_[kBytesMax + 2] = {};
};

// Face function: close(descriptor).
Napi::Value CloseDescriptor(const Napi::CallbackInfo& info);

}  // namespace mesh::fs
