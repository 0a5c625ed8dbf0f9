#include "runtime/arguments.h"

namespace mesh::runtime {

Arguments::Arguments(napi_env env, napi_callback_info info) : env_(env) {
  std::size_t count = kCountMax;
  void* data = nullptr;
  napi_get_cb_info(env, info, &count, values_.data(), nullptr, &data);
  environment_ = static_cast<std::shared_ptr<Environment>*>(data);
}

bool Arguments::IsNull(std::size_t index) const {
  napi_valuetype type = napi_undefined;
  return napi_typeof(env_, values_[index], &type) == napi_ok && type == napi_null;
}

bool Arguments::Read(std::size_t index, std::int32_t& number) const {
  return napi_get_value_int32(env_, values_[index], &number) == napi_ok;
}

bool Arguments::Read(std::size_t index, std::int64_t& number) const {
  return napi_get_value_int64(env_, values_[index], &number) == napi_ok;
}

bool Arguments::Read(std::size_t index, bool& value) const {
  return napi_get_value_bool(env_, values_[index], &value) == napi_ok;
}

bool Arguments::Read(std::size_t index, std::vector<std::int32_t>& numbers) const {
  napi_typedarray_type type = napi_int8_array;
  std::size_t length = 0;
  void* data = nullptr;
  if (napi_get_typedarray_info(env_, values_[index], &type, &length, &data, nullptr, nullptr) != napi_ok) return false;
  if (type != napi_int32_array) return false;
  const auto* const from = static_cast<const std::int32_t*>(data);
  numbers.assign(from, from + length);
  return true;
}

napi_value Arguments::Property(napi_value object, const char* name) const {
  napi_value value = nullptr;
  return napi_get_named_property(env_, object, name, &value) == napi_ok ? value : nullptr;
}

bool Arguments::ReadString(napi_value value, std::string& text) const {
  std::size_t length = 0;
  if (napi_get_value_string_utf8(env_, value, nullptr, 0, &length) != napi_ok) return false;
  text.resize(length);
  return napi_get_value_string_utf8(env_, value, text.data(), length + 1, &length) == napi_ok;
}

bool Arguments::ReadStrings(napi_value value, std::vector<std::string>& texts) const {
  std::uint32_t length = 0;
  if (napi_get_array_length(env_, value, &length) != napi_ok) return false;
  texts.resize(length);
  for (std::uint32_t index = 0; index < length; index += 1) {
    napi_value element = nullptr;
    if (napi_get_element(env_, value, index, &element) != napi_ok || !ReadString(element, texts[index])) return false;
  }
  return true;
}

bool Arguments::ReadBytes(napi_value value, ByteSpan& bytes) const {
  napi_typedarray_type type = napi_int8_array;
  void* data = nullptr;
  std::size_t elements = 0;
  if (napi_get_typedarray_info(env_, value, &type, &elements, &data, nullptr, nullptr) != napi_ok) return false;
  if (type != napi_uint8_array && type != napi_biguint64_array) return false;
  bytes.data = static_cast<std::uint8_t*>(data);
  bytes.length = type == napi_uint8_array ? elements : elements * sizeof(std::uint64_t);
  return true;
}

}  // namespace mesh::runtime
