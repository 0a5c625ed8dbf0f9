#pragma once

#include <node_api.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/environment.h"
#include "runtime/handle.h"

namespace mesh::runtime {

// Bytes of a typed array of JavaScript, valid until the function that received it returns.
struct ByteSpan {
  std::uint8_t* data = nullptr;
  std::size_t length = 0;
};

// The arguments of one call from JavaScript. Each reader says whether the argument had the type; a failed one is answered
// with ThrowWrongArgument.
class Arguments {
 public:
  static constexpr std::size_t kCountMax = 4;

  Arguments(napi_env env, napi_callback_info info);

  napi_env env() const { return env_; }
  // Null when the environment could not be attached.
  const std::shared_ptr<Environment>& environment() const { return *environment_; }
  napi_value at(std::size_t index) const { return values_[index]; }
  bool IsNull(std::size_t index) const;

  bool Read(std::size_t index, std::string& text) const { return ReadString(values_[index], text); }
  bool Read(std::size_t index, std::vector<std::string>& texts) const { return ReadStrings(values_[index], texts); }
  bool Read(std::size_t index, std::int32_t& number) const;
  bool Read(std::size_t index, std::int64_t& number) const;
  bool Read(std::size_t index, bool& value) const;
  bool Read(std::size_t index, std::vector<std::int32_t>& numbers) const;
  bool Read(std::size_t index, ByteSpan& bytes) const { return ReadBytes(values_[index], bytes); }
  template <typename Native>
  bool Read(std::size_t index, std::shared_ptr<Native>& native) const {
    native = UnwrapHandle<Native>(env_, values_[index]);
    return native != nullptr;
  }

  napi_value Property(napi_value object, const char* name) const;
  bool ReadString(napi_value value, std::string& text) const;
  bool ReadStrings(napi_value value, std::vector<std::string>& texts) const;
  bool ReadBytes(napi_value value, ByteSpan& bytes) const;

 private:
  const napi_env env_;
  std::array<napi_value, kCountMax> values_{};
  std::shared_ptr<Environment>* environment_ = nullptr;
};

}  // namespace mesh::runtime
