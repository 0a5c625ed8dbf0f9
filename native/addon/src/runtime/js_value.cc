#include "runtime/js_value.h"

#include <cstring>

namespace mesh::runtime {

napi_value JsString(napi_env env, const std::string& text) {
  napi_value value = nullptr;
  napi_create_string_utf8(env, text.data(), text.size(), &value);
  return value;
}

napi_value JsStringOrNull(napi_env env, const std::optional<std::string>& text) {
  return text.has_value() ? JsString(env, *text) : JsNull(env);
}

napi_value JsNumber(napi_env env, double number) {
  napi_value value = nullptr;
  napi_create_double(env, number, &value);
  return value;
}

napi_value JsBigInt(napi_env env, std::uint64_t number) {
  napi_value value = nullptr;
  napi_create_bigint_uint64(env, number, &value);
  return value;
}

napi_value JsBoolean(napi_env env, bool boolean) {
  napi_value value = nullptr;
  napi_get_boolean(env, boolean, &value);
  return value;
}

napi_value JsNull(napi_env env) {
  napi_value value = nullptr;
  napi_get_null(env, &value);
  return value;
}

napi_value JsUndefined(napi_env env) {
  napi_value value = nullptr;
  napi_get_undefined(env, &value);
  return value;
}

napi_value JsStrings(napi_env env, const std::vector<std::string>& texts) {
  napi_value array = nullptr;
  if (napi_create_array_with_length(env, texts.size(), &array) != napi_ok) return nullptr;
  for (std::size_t index = 0; index < texts.size(); index += 1) {
    napi_set_element(env, array, static_cast<std::uint32_t>(index), JsString(env, texts[index]));
  }
  return array;
}

namespace {

napi_value JsTypedArray(napi_env env, napi_typedarray_type type, std::size_t element_bytes, const void* from,
                        std::size_t elements) {
  void* to = nullptr;
  napi_value buffer = nullptr;
  napi_value array = nullptr;
  if (napi_create_arraybuffer(env, elements * element_bytes, &to, &buffer) != napi_ok) return nullptr;
  if (elements > 0) std::memcpy(to, from, elements * element_bytes);
  napi_create_typedarray(env, type, elements, buffer, 0, &array);
  return array;
}

}  // namespace

napi_value JsBytes(napi_env env, const void* bytes, std::size_t length) {
  return JsTypedArray(env, napi_uint8_array, 1, bytes, length);
}

napi_value JsInt32s(napi_env env, const std::vector<std::int32_t>& numbers) {
  return JsTypedArray(env, napi_int32_array, sizeof(std::int32_t), numbers.data(), numbers.size());
}

JsObject::JsObject(napi_env env) : env_(env) { napi_create_object(env, &value_); }

JsObject& JsObject::Set(const char* name, napi_value value) {
  if (value_ != nullptr && value != nullptr) napi_set_named_property(env_, value_, name, value);
  return *this;
}

JsObject& JsObject::Set(const char* name, const char* text) { return Set(name, JsString(env_, text)); }

napi_value ThrowWrongArgument(napi_env env, const char* expected) {
  napi_throw_type_error(env, nullptr, expected);
  return nullptr;
}

}  // namespace mesh::runtime
