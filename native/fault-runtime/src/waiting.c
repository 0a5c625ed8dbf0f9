#include "waiting.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "errors.h"
#include "events.h"

bool fault_wait_for_file(fault_slice path) {
  char* name = fault_slice_text(path, NULL);
  bool found = false;
  for (uint64_t waited = 0; !found && waited < FAULT_WAIT_MS_MAX; waited += 2) {
    found = access(name, F_OK) == 0;
    if (!found) fault_sleep_ms(2);
  }
  free(name);
  return found;
}

void fault_touch_file(fault_slice path) {
  char* name = fault_slice_text(path, NULL);
  int descriptor = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor >= 0) close(descriptor);
  free(name);
}

bool fault_wait_for_flag(const _Atomic bool* flag, uint64_t milliseconds_max) {
  for (uint64_t waited = 0; waited < milliseconds_max; waited += 1) {
    if (atomic_load(flag)) return true;
    fault_sleep_ms(1);
  }
  return atomic_load(flag);
}

struct late_call {
  skippy_runtime_event_reporter_v1 reporter;
  uint64_t milliseconds;
  uint64_t count;
};

static void* call_late(void* context) {
  struct late_call* call = context;
  fault_sink sink;
  fault_sink_for_open(&sink, &call->reporter, 0);
  fault_sleep_ms(call->milliseconds);
  for (uint64_t i = 0; i < call->count; i += 1) {
    skippy_runtime_event_v1 event =
        fault_event(&sink, SKIPPY_EVENT_CATEGORY_MODEL_OPEN, SKIPPY_EVENT_KIND_MODEL_OPEN_PROGRESS);
    sink.deliver(&sink, &event);
  }
  free(call);
  return NULL;
}

void fault_call_later(const skippy_runtime_event_reporter_v1* reporter, uint64_t milliseconds, uint64_t count) {
  pthread_t thread = 0;
  struct late_call* call = malloc(sizeof *call);
  if (call == NULL) abort();
  *call = (struct late_call){*reporter, milliseconds, count};
  if (pthread_create(&thread, NULL, call_late, call) != 0) abort();
  pthread_detach(thread);
}
