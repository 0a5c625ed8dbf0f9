#ifndef MESH_FAULT_RUNTIME_EVENTS_H
#define MESH_FAULT_RUNTIME_EVENTS_H

#include <stdatomic.h>

#include "script.h"
#include "skippy.h"

/* Where events go: the reporter of one open, or the one of the process. */
typedef struct fault_sink {
  /* Delivers to the callback, if there is one. Safe on any thread. The event may be NULL or malformed on purpose. */
  void (*deliver)(struct fault_sink* sink, const skippy_runtime_event_v1* event);
  /* Last sequence number given out in this sink's domain. */
  _Atomic uint64_t* sequence;
  /* A copy of the open's reporter; unused by the process sink. */
  skippy_runtime_event_reporter_v1 reporter;
  uint64_t model_id;
  uint64_t stage_id;
  _Atomic uint64_t own_sequence;
} fault_sink;

/* Makes the sink of one open. A NULL reporter or callback makes a sink that drops everything. */
void fault_sink_for_open(fault_sink* sink, const skippy_runtime_event_reporter_v1* reporter, uint64_t stage_id);

bool fault_sink_active(const fault_sink* sink);

/* A full event of this kind with sequence, time, model and stage filled in, and everything else zero. */
skippy_runtime_event_v1 fault_event(fault_sink* sink, uint32_t category, uint32_t kind);

void fault_event_detail(skippy_runtime_event_v1* event, const char* detail);

/* The category that a kind belongs to, by its hundreds; 0 for an unknown kind. */
uint32_t fault_category_of(uint32_t kind);

/* Sends the event a script describes, field by field, from memory that ends where the declared struct and detail end. */
void fault_send_raw(fault_sink* sink, fault_slice fields);

/* Sends count events from each of several threads at once and waits for the threads: "THREADS:COUNT[:KIND]". */
void fault_send_threads(fault_sink* sink, fault_slice fields);

#endif /* MESH_FAULT_RUNTIME_EVENTS_H */
