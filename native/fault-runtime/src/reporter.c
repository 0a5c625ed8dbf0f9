#include "reporter.h"

#include <pthread.h>
#include <string.h>

#include "errors.h"
#include "variant.h"
#include "waiting.h"

/*
 * The reporter of the process. Set and clear are serialised by one lock and wait until no callback of the reporter they
 * replace is running; dispatch holds no lock while a callback runs, so callbacks on several threads overlap and may send
 * further events.
 */
static pthread_mutex_t lifecycle = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t callback_returned = PTHREAD_COND_INITIALIZER;
static skippy_runtime_event_reporter_v1 current;
static unsigned generation;
/* Callbacks running in the even and in the odd generation: two are enough, for each change waits for the one before. */
static unsigned in_flight[2];
static _Atomic uint64_t process_sequence;

static void deliver_to_process(fault_sink* sink, const skippy_runtime_event_v1* event) {
  (void)sink;
  pthread_mutex_lock(&state_lock);
  skippy_runtime_event_reporter_v1 reporter = current;
  unsigned slot = generation & 1u;
  in_flight[slot] += 1;
  pthread_mutex_unlock(&state_lock);

  if (reporter.callback != NULL) reporter.callback(event, reporter.user_data);

  pthread_mutex_lock(&state_lock);
  in_flight[slot] -= 1;
  pthread_cond_broadcast(&callback_returned);
  pthread_mutex_unlock(&state_lock);
}

fault_sink* fault_process_sink(void) {
  static fault_sink sink = {.deliver = deliver_to_process, .sequence = &process_sequence};
  return &sink;
}

static skippy_runtime_event_reporter_v1 replace(const skippy_runtime_event_reporter_v1* reporter) {
  pthread_mutex_lock(&state_lock);
  skippy_runtime_event_reporter_v1 previous = current;
  if (reporter == NULL) {
    memset(&current, 0, sizeof current);
  } else {
    current = *reporter;
  }
  unsigned slot = generation & 1u;
  generation += 1;
  while (in_flight[slot] != 0) pthread_cond_wait(&callback_returned, &state_lock);
  pthread_mutex_unlock(&state_lock);
  return previous;
}

int32_t skippy_set_runtime_event_reporter(const skippy_runtime_event_reporter_v1* reporter) {
  if (reporter == NULL || reporter->struct_size < sizeof *reporter) return SKIPPY_STATUS_INVALID_ARGUMENT;
  if (reporter->abi_version != SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION) return SKIPPY_STATUS_UNSUPPORTED;
  if (FAULT_SETTER_REFUSES) return SKIPPY_STATUS_UNSUPPORTED;
  pthread_mutex_lock(&lifecycle);
  replace(reporter);
  pthread_mutex_unlock(&lifecycle);
  return SKIPPY_STATUS_OK;
}

void skippy_clear_runtime_event_reporter(void) {
  pthread_mutex_lock(&lifecycle);
  for (int sent = 0; sent < FAULT_EVENTS_IN_CLEAR; sent += 1) {
    skippy_emit_kv_event(SKIPPY_EVENT_KIND_KV_INITIALIZED, 0, 0, 0);
  }
  skippy_runtime_event_reporter_v1 previous = replace(NULL);
  fault_sleep_ms(FAULT_CLEAR_SLEEP_MS);
  pthread_mutex_unlock(&lifecycle);
  if (FAULT_EVENTS_AFTER_CLEAR > 0 && previous.callback != NULL) fault_call_later(&previous, 50, FAULT_EVENTS_AFTER_CLEAR);
}

static void emit(skippy_runtime_event_v1* event, const char* detail, uint64_t detail_length) {
  event->emitter = SKIPPY_EVENT_EMITTER_UNKNOWN;
  event->detail_ptr = detail;
  event->detail_len = detail_length;
  fault_process_sink()->deliver(fault_process_sink(), event);
}

void skippy_emit_model_load_event_v2(uint32_t kind, uint64_t model_id, uint64_t numeric_0, uint64_t numeric_1,
                                     const char* detail, uint64_t detail_len) {
  skippy_runtime_event_v1 event = fault_event(fault_process_sink(), SKIPPY_EVENT_CATEGORY_MODEL_OPEN, kind);
  event.model_id = model_id;
  event.numeric_summary_0 = numeric_0;
  event.numeric_summary_1 = numeric_1;
  emit(&event, detail, detail_len);
}

void skippy_emit_kv_event(uint32_t kind, uint64_t session_id, uint64_t numeric_0, uint64_t numeric_1) {
  skippy_runtime_event_v1 event = fault_event(fault_process_sink(), SKIPPY_EVENT_CATEGORY_KV, kind);
  event.session_id = session_id;
  event.numeric_summary_0 = numeric_0;
  event.numeric_summary_1 = numeric_1;
  emit(&event, NULL, 0);
}

void skippy_emit_device_event(uint32_t kind, uint64_t numeric_0, const char* detail, uint64_t detail_len) {
  skippy_runtime_event_v1 event = fault_event(fault_process_sink(), SKIPPY_EVENT_CATEGORY_DEVICE, kind);
  event.numeric_summary_0 = numeric_0;
  emit(&event, detail, detail_len);
}

void skippy_emit_diagnostic_event(uint32_t kind, uint32_t failure_code, const char* detail, uint64_t detail_len) {
  skippy_runtime_event_v1 event = fault_event(fault_process_sink(), SKIPPY_EVENT_CATEGORY_DIAGNOSTIC, kind);
  event.failure_code = failure_code;
  emit(&event, detail, detail_len);
}

void skippy_emit_unload_event(uint32_t kind, uint64_t model_id, uint64_t numeric_0) {
  skippy_runtime_event_v1 event = fault_event(fault_process_sink(), SKIPPY_EVENT_CATEGORY_UNLOAD, kind);
  event.model_id = model_id;
  event.numeric_summary_0 = numeric_0;
  emit(&event, NULL, 0);
}
