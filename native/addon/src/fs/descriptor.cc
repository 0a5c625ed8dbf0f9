#include "fs/descriptor.h"

#include <unistd.h>

#include <cerrno>
#include <memory>

#include "fs/result.h"

namespace mesh::fs {

namespace {

// Tells our objects from any other wrapped object of the process. The number is random and means nothing.
constexpr napi_type_tag kDescriptorTag = {0x6a3f1c52d9e84b07, 0x91c4e2b75f0d4a38};

void DeleteDescriptor(napi_env, void* data, void*) { delete static_cast<Descriptor*>(data); }

Napi::Value Wrap(Napi::Env env, std::unique_ptr<Descriptor> descriptor) {
  Napi::Object object = Napi::Object::New(env);
  if (napi_type_tag_object(env, object, &kDescriptorTag) != napi_ok ||
      napi_wrap(env, object, descriptor.get(), DeleteDescriptor, nullptr, nullptr) != napi_ok) {
    return WrongArgument(env, "the environment is ending and takes no new descriptor");
  }
  static_cast<void>(descriptor.release());  // The object owns it now.
  return object;
}

}  // namespace

Descriptor::~Descriptor() { Close(); }

int Descriptor::Close() {
  // Never repeated after EINTR: Linux and macOS have freed the number by then, and another thread may own it already.
  int result = 0;
  if (stream != nullptr) {
    result = closedir(stream);
  } else if (number != -1) {
    result = close(number);
  }
  int error_number = result == -1 && errno != EINTR ? errno : 0;
  stream = nullptr;
  number = -1;
  return error_number;
}

Napi::Value WrapDescriptor(Napi::Env env, int number) {
  auto descriptor = std::make_unique<Descriptor>();
  descriptor->number = number;
  return Wrap(env, std::move(descriptor));
}

Napi::Value WrapStream(Napi::Env env, DIR* stream) {
  auto descriptor = std::make_unique<Descriptor>();
  descriptor->number = dirfd(stream);
  descriptor->stream = stream;
  return Wrap(env, std::move(descriptor));
}

Descriptor* UnwrapDescriptor(Napi::Value value) {
  if (!value.IsObject()) return nullptr;
  bool ours = false;
  void* data = nullptr;
  if (napi_check_object_type_tag(value.Env(), value, &kDescriptorTag, &ours) != napi_ok || !ours) return nullptr;
  if (napi_unwrap(value.Env(), value, &data) != napi_ok) return nullptr;
  return static_cast<Descriptor*>(data);
}

bool Name::Read(Napi::Value value) {
  size_t length = 0;
  if (napi_get_value_string_utf8(value.Env(), value, bytes_, sizeof bytes_, &length) != napi_ok) return false;
  return length <= kBytesMax;
}

Napi::Value CloseDescriptor(const Napi::CallbackInfo& info) {
  Descriptor* descriptor = UnwrapDescriptor(info[0]);
  if (descriptor == nullptr) return WrongArgument(info.Env(), "close takes a descriptor");
  int error_number = descriptor->Close();
  if (error_number != 0) return Failure(info.Env(), error_number, "close");
  return info.Env().Undefined();
}

}  // namespace mesh::fs
