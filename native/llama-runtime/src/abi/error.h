// Failures inside the runtime are exceptions; at every entry of the C ABI they become a status and an error struct.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "skippy.h"

namespace mesh::llama {

// Why a call is refused. `summary` is a static English sentence part that is safe to emit in an event; `reason` is what
// llama.cpp or the system said, which may name files and therefore goes to the caller of the failed call alone.
class Failure : public std::exception {
 public:
  Failure(skippy_status status, const char* summary, std::string reason = {});
  static Failure Cancelled(const char* summary);

  skippy_status status() const noexcept { return status_; }
  uint32_t failure_code() const noexcept { return failure_code_; }
  const char* summary() const noexcept { return summary_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  skippy_status status_;
  uint32_t failure_code_;
  const char* summary_;
  std::string text_;
};

// The failure code that an event carries for a status (spec 1.4).
uint32_t FailureCodeOf(skippy_status status) noexcept;

// The exception being handled, as a Failure. Call it inside a catch block only.
Failure CurrentFailure();

// Allocates the error struct of the ABI. Does nothing when out_error is null or memory is gone.
void Report(skippy_error** out_error, int32_t status, const char* message) noexcept;

// Runs one entry of the ABI. Nothing is thrown past it: C++ exceptions must not unwind into a C caller.
template <class Body>
int32_t Guarded(skippy_error** out_error, Body&& body) noexcept {
  if (out_error != nullptr) *out_error = nullptr;
  try {
    body();
    return SKIPPY_STATUS_OK;
  } catch (...) {
    try {
      const Failure failure = CurrentFailure();
      Report(out_error, failure.status(), failure.what());
      return failure.status();
    } catch (...) {
      Report(out_error, SKIPPY_STATUS_ERROR, "out of memory while reporting a failure");
      return SKIPPY_STATUS_ERROR;
    }
  }
}

}  // namespace mesh::llama
