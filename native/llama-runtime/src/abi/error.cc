#include "abi/error.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace mesh::llama {

Failure::Failure(skippy_status status, const char* summary, std::string reason)
    : status_(status), failure_code_(FailureCodeOf(status)), summary_(summary), text_(summary) {
  if (!reason.empty()) text_ += ": " + std::move(reason);
}

Failure Failure::Cancelled(const char* summary) {
  Failure failure(SKIPPY_STATUS_RUNTIME_ERROR, summary);
  failure.failure_code_ = SKIPPY_EVENT_FAILURE_CANCELLED;
  return failure;
}

uint32_t FailureCodeOf(skippy_status status) noexcept {
  switch (status) {
    case SKIPPY_STATUS_OK:
      return SKIPPY_EVENT_FAILURE_NONE;
    case SKIPPY_STATUS_INVALID_ARGUMENT:
      return SKIPPY_EVENT_FAILURE_INVALID_ARGUMENT;
    case SKIPPY_STATUS_IO_ERROR:
      return SKIPPY_EVENT_FAILURE_IO_ERROR;
    case SKIPPY_STATUS_MODEL_ERROR:
      return SKIPPY_EVENT_FAILURE_MODEL_ERROR;
    case SKIPPY_STATUS_RUNTIME_ERROR:
    case SKIPPY_STATUS_UNSUPPORTED:
      return SKIPPY_EVENT_FAILURE_RUNTIME_ERROR;
    case SKIPPY_STATUS_ERROR:
    case SKIPPY_STATUS_BUFFER_TOO_SMALL:
      return SKIPPY_EVENT_FAILURE_INTERNAL_ERROR;
  }
  return SKIPPY_EVENT_FAILURE_INTERNAL_ERROR;
}

Failure CurrentFailure() {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure;
  } catch (const std::bad_alloc&) {
    return Failure(SKIPPY_STATUS_RUNTIME_ERROR, "out of memory");
  } catch (const std::exception& exception) {
    return Failure(SKIPPY_STATUS_ERROR, "unexpected C++ exception", exception.what());
  } catch (...) {
    return Failure(SKIPPY_STATUS_ERROR, "unexpected exception that is no std::exception");
  }
}

void Report(skippy_error** out_error, int32_t status, const char* message) noexcept {
  if (out_error == nullptr) return;
  // The ABI fixes the allocators: malloc for the text, new for the struct. skippy_error_free undoes both.
  char* copy = ::strdup(message);
  auto* error = new (std::nothrow) skippy_error{status, copy};
  if (error == nullptr) std::free(copy);
  *out_error = error;
}

}  // namespace mesh::llama

extern "C" void skippy_error_free(skippy_error* error) noexcept {
  if (error == nullptr) return;
  std::free(const_cast<char*>(error->message));
  delete error;
}
