#include <string.h>

#include "devices.h"
#include "errors.h"

static const skippy_backend_device devices[] = {
    {1, "CPU", "a processor that computes nothing", "fault-cpu-0", 1ull << 33, 1ull << 34, SKIPPY_DEVICE_TYPE_CPU,
     SKIPPY_DEVICE_CAPABILITY_HOST_BUFFER},
    /* More memory than a double counts exactly: the number has to arrive whole. */
    {1, "FAULT0", "a graphics card that is not there", "fault-gpu-0", (1ull << 53) + 1, UINT64_MAX, SKIPPY_DEVICE_TYPE_GPU,
     SKIPPY_DEVICE_CAPABILITY_ASYNC | SKIPPY_DEVICE_CAPABILITY_EVENTS},
};

#define DEVICE_COUNT (sizeof devices / sizeof devices[0])

bool fault_device_known(const char* name) {
  for (size_t i = 0; i < DEVICE_COUNT; i += 1) {
    if (strcmp(devices[i].name, name) == 0) return true;
  }
  return false;
}

int32_t skippy_backend_device_count(size_t* out_count, skippy_error** out_error) {
  if (out_count == NULL) return fault_fail(out_error, SKIPPY_STATUS_INVALID_ARGUMENT, "device count output is null");
  *out_count = DEVICE_COUNT;
  return fault_succeed(out_error);
}

int32_t skippy_backend_device_at(size_t index, skippy_backend_device* out_device, skippy_error** out_error) {
  if (out_device == NULL) return fault_fail(out_error, SKIPPY_STATUS_INVALID_ARGUMENT, "device output is null");
  if (index >= DEVICE_COUNT) return fault_fail(out_error, SKIPPY_STATUS_INVALID_ARGUMENT, "device index is out of range");
  *out_device = devices[index];
  return fault_succeed(out_error);
}
