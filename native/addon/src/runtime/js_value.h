#pragma once

#include <node_api.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mesh::runtime {

// Values for JavaScript, made with Node-API itself. node-addon-api turns a failing call into an abort when an environment is
// being terminated, which may happen at any instruction here; these yield null or an incomplete object, which nobody reads.

napi_value JsString(napi_env env, const std::string& text);
napi_value JsStringOrNull(napi_env env, const std::optional<std::string>& text);
napi_value JsNumber(napi_env env, double number);
napi_value JsBigInt(napi_env env, std::uint64_t number);
napi_value JsBoolean(napi_env env, bool boolean);
napi_value JsNull(napi_env env);
napi_value JsUndefined(napi_env env);
napi_value JsStrings(napi_env env, const std::vector<std::string>& texts);
// Copies, since a buffer that pointed into our memory would have to outlive its environment.
napi_value JsBytes(napi_env env, const void* bytes, std::size_t length);
napi_value JsInt32s(napi_env env, const std::vector<std::int32_t>& numbers);

// An object that is built field by field.
class JsObject {
 public:
  explicit JsObject(napi_env env);
  JsObject& Set(const char* name, napi_value value);
  JsObject& Set(const char* name, const char* text);
  napi_value value() const { return value_; }

 private:
  const napi_env env_;
  napi_value value_ = nullptr;
};

// A wrong argument is a mistake of this package's own JavaScript, which checks everything that comes from outside.
napi_value ThrowWrongArgument(napi_env env, const char* expected);

}  // namespace mesh::runtime
