/* The event and the reporter that receives it. Part of skippy.h. */
#ifndef MESH_NATIVE_ABI_SKIPPY_EVENT_H
#define MESH_NATIVE_ABI_SKIPPY_EVENT_H

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION 1u
#define SKIPPY_RUNTIME_EVENT_V1_BASE_SIZE 112u
#define SKIPPY_RUNTIME_EVENT_V1_SIZE 144u

/*
 * One event, valid and immutable only while the callback that receives it runs. struct_size grows by appending: 112 to 143
 * means that the numeric summaries are absent (which is not the same as zero), 144 and above that they are present; an
 * unknown tail is ignored. detail_ptr holds detail_len bytes without a terminating NUL.
 */
typedef struct skippy_runtime_event_v1 {
  uint32_t abi_version; /* SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION */
  uint32_t struct_size; /* bytes the sender filled */
  uint32_t category;    /* enum skippy_event_category */
  uint32_t kind;        /* enum skippy_event_kind */
  uint32_t emitter;     /* enum skippy_event_emitter */
  uint32_t reserved0;
  uint64_t sequence; /* from 1; the domain is one open for a per-call reporter, the process for the global one */
  uint64_t timestamp_mono_ns;
  uint64_t model_id; /* opaque; in practice an address, so it never leaves the host */
  uint64_t stage_id;
  uint64_t session_id; /* opaque, as model_id */
  uint64_t progress_current;
  uint64_t progress_total;
  uint32_t progress_unit; /* enum skippy_event_progress_unit */
  uint32_t failure_code;  /* enum skippy_event_failure_code */
  int32_t status;         /* enum skippy_status, raw */
  uint32_t reserved1;
  const char* detail_ptr;
  uint64_t detail_len;
  uint64_t numeric_summary_0;
  uint64_t numeric_summary_1;
  uint64_t numeric_summary_2;
  uint64_t numeric_summary_3;
} skippy_runtime_event_v1;

typedef void (*skippy_runtime_event_callback_v1)(const skippy_runtime_event_v1* event, void* user_data);

/*
 * How a runtime checks a reporter given to an open, in this order: NULL reporter, no events; struct_size below 24,
 * INVALID_ARGUMENT; NULL callback, no events; abi_version other than 1, UNSUPPORTED. A refused reporter emits nothing.
 */
typedef struct skippy_runtime_event_reporter_v1 {
  uint32_t abi_version; /* SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION */
  uint32_t struct_size; /* sizeof(skippy_runtime_event_reporter_v1) */
  skippy_runtime_event_callback_v1 callback;
  void* user_data;
} skippy_runtime_event_reporter_v1;

#if defined(__cplusplus)
} /* extern "C" */
#endif

#endif /* MESH_NATIVE_ABI_SKIPPY_EVENT_H */
