#include "events.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS_MAX 64

static uint64_t monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  /* Microsecond resolution, as the clock that spec section 2.1 describes. */
  return ((uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u) * 1000u;
}

static void deliver_to_open(fault_sink* sink, const skippy_runtime_event_v1* event) {
  if (sink->reporter.callback != NULL) sink->reporter.callback(event, sink->reporter.user_data);
}

void fault_sink_for_open(fault_sink* sink, const skippy_runtime_event_reporter_v1* reporter, uint64_t stage_id) {
  memset(sink, 0, sizeof *sink);
  sink->deliver = deliver_to_open;
  sink->sequence = &sink->own_sequence;
  sink->stage_id = stage_id;
  if (reporter != NULL) sink->reporter = *reporter;
}

bool fault_sink_active(const fault_sink* sink) { return sink->reporter.callback != NULL; }

skippy_runtime_event_v1 fault_event(fault_sink* sink, uint32_t category, uint32_t kind) {
  skippy_runtime_event_v1 event;
  memset(&event, 0, sizeof event);
  event.abi_version = SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION;
  event.struct_size = sizeof event;
  event.category = category;
  event.kind = kind;
  event.emitter = SKIPPY_EVENT_EMITTER_OPEN_THREAD;
  event.sequence = atomic_fetch_add(sink->sequence, 1) + 1;
  event.timestamp_mono_ns = monotonic_ns();
  event.model_id = sink->model_id;
  event.stage_id = sink->stage_id;
  return event;
}

void fault_event_detail(skippy_runtime_event_v1* event, const char* detail) {
  event->detail_ptr = detail;
  event->detail_len = detail == NULL ? 0 : strlen(detail);
}

uint32_t fault_category_of(uint32_t kind) {
  if (kind == SKIPPY_EVENT_KIND_BACKEND_DEVICE_SELECTED) return SKIPPY_EVENT_CATEGORY_BACKEND;
  switch (kind / 100) {
    case 0:
      return kind >= 1 && kind <= 5 ? SKIPPY_EVENT_CATEGORY_MODEL_OPEN : 0;
    case 1:
      return SKIPPY_EVENT_CATEGORY_MODEL_OPEN;
    case 2:
      return SKIPPY_EVENT_CATEGORY_KV;
    case 3:
      return SKIPPY_EVENT_CATEGORY_DEVICE;
    case 4:
      return SKIPPY_EVENT_CATEGORY_DIAGNOSTIC;
    case 5:
      return SKIPPY_EVENT_CATEGORY_UNLOAD;
    default:
      return 0;
  }
}

struct sender {
  fault_sink* sink;
  pthread_barrier_t* start;
  uint64_t index;
  uint64_t count;
  uint32_t kind;
};

static void* send_from_thread(void* context) {
  struct sender* sender = context;
  pthread_barrier_wait(sender->start);
  for (uint64_t i = 0; i < sender->count; i += 1) {
    skippy_runtime_event_v1 event = fault_event(sender->sink, fault_category_of(sender->kind), sender->kind);
    event.emitter = SKIPPY_EVENT_EMITTER_WORKER_THREAD;
    event.numeric_summary_0 = sender->index;
    event.numeric_summary_1 = i;
    sender->sink->deliver(sender->sink, &event);
  }
  return NULL;
}

void fault_send_threads(fault_sink* sink, fault_slice fields) {
  fault_slice threads_text;
  fault_slice rest;
  fault_slice count_text;
  fault_slice kind_text;
  fault_slice_split(fields, ':', &threads_text, &rest);
  fault_slice_split(rest, ':', &count_text, &kind_text);
  uint64_t threads = fault_slice_number(threads_text, 1);
  if (threads < 1 || threads > THREADS_MAX) threads = THREADS_MAX;

  pthread_t ids[THREADS_MAX];
  struct sender senders[THREADS_MAX];
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, (unsigned)threads);
  for (uint64_t i = 0; i < threads; i += 1) {
    senders[i] = (struct sender){sink, &start, i, fault_slice_number(count_text, 1),
                                 (uint32_t)fault_slice_number(kind_text, SKIPPY_EVENT_KIND_MODEL_LOAD_TENSORS_OFFLOADED)};
    if (pthread_create(&ids[i], NULL, send_from_thread, &senders[i]) != 0) abort();
  }
  for (uint64_t i = 0; i < threads; i += 1) pthread_join(ids[i], NULL);
  pthread_barrier_destroy(&start);
}
