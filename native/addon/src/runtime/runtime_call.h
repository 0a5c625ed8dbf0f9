#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "runtime/failure.h"
#include "runtime/runtime_functions.h"

namespace mesh::runtime {

// Copies the words out of an error and frees it, whatever the status was: only the runtime knows how it was allocated.
std::optional<std::string> TakeMessage(const RuntimeFunctions& functions, skippy_error* error);

// Calls a function of the runtime that returns a status and may hand out an error. Nothing on success. `call` receives where
// the error goes. An exception that crosses the C ABI, which forbids it, becomes a failure here and goes no further.
template <typename Call>
std::optional<Failure> CallRuntime(const RuntimeFunctions& functions, const char* name, Call call) {
  skippy_error* error = nullptr;
  std::int32_t status = SKIPPY_STATUS_OK;
  try {
    status = call(&error);
  } catch (const std::exception& exception) {
    TakeMessage(functions, error);
    return Failure{Failure::Kind::kThrew, name, {}, exception.what()};
  } catch (...) {
    TakeMessage(functions, error);
    return Failure{Failure::Kind::kThrew, name, {}, "an exception that is no std::exception"};
  }
  std::optional<std::string> message = TakeMessage(functions, error);
  if (status == SKIPPY_STATUS_OK) return std::nullopt;
  return Failure{Failure::Kind::kStatus, name, status, std::move(message)};
}

inline bool IsBufferTooSmall(const std::optional<Failure>& failure) {
  return failure.has_value() && failure->status == SKIPPY_STATUS_BUFFER_TOO_SMALL;
}

}  // namespace mesh::runtime
