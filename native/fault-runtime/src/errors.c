#include "errors.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static _Atomic int64_t errors_alive;

int32_t fault_fail(skippy_error** out_error, int32_t status, const char* message) {
  if (out_error == NULL) return status;
  skippy_error* error = calloc(1, sizeof *error);
  if (error == NULL) abort();
  error->status = status;
  error->message = message == NULL ? NULL : strdup(message);
  atomic_fetch_add(&errors_alive, 1);
  *out_error = error;
  return status;
}

int32_t fault_succeed(skippy_error** out_error) {
  if (out_error != NULL) *out_error = NULL;
  return SKIPPY_STATUS_OK;
}

uint32_t fault_failure_code_of(int32_t status) {
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
    default:
      return SKIPPY_EVENT_FAILURE_INTERNAL_ERROR;
  }
}

int64_t fault_errors_alive(void) { return atomic_load(&errors_alive); }

void skippy_error_free(skippy_error* error) {
  if (error == NULL) return;
  atomic_fetch_sub(&errors_alive, 1);
  free((char*)error->message);
  free(error);
}

void fault_crash(void) {
  raise(SIGSEGV);
  abort();
}

void fault_sleep_ms(uint64_t milliseconds) {
  struct timespec left = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000L};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}
