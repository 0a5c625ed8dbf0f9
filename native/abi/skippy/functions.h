/* The functions of the ABI, and which of them every runtime must have. Part of skippy.h. */
#ifndef MESH_NATIVE_ABI_SKIPPY_FUNCTIONS_H
#define MESH_NATIVE_ABI_SKIPPY_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data.h"
#include "event.h"
#include "linkage.h"
#include "version.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct skippy_model skippy_model;
typedef struct skippy_session skippy_session;

/* A runtime that lacks one of the functions marked REQUIRED is not admitted. */

/* REQUIRED */
SKIPPY_API skippy_abi_version_t skippy_abi_version(void) SKIPPY_NOEXCEPT;
/* optional: absent means no features */
SKIPPY_API uint64_t skippy_abi_features(void) SKIPPY_NOEXCEPT;
/* REQUIRED: frees the message and the struct; NULL is allowed */
SKIPPY_API void skippy_error_free(skippy_error* error) SKIPPY_NOEXCEPT;

/* REQUIRED: a NULL config means the whole model with the runtime's defaults. */
SKIPPY_API int32_t skippy_model_open(const char* path, const skippy_runtime_config* config, skippy_model** out_model,
                                     skippy_error** out_error) SKIPPY_NOEXCEPT;
/* REQUIRED */
SKIPPY_API int32_t skippy_model_open_from_parts(const char* const* paths, size_t path_count,
                                                const skippy_runtime_config* config, skippy_model** out_model,
                                                skippy_error** out_error) SKIPPY_NOEXCEPT;
/* optional, SKIPPY_FEATURE_RUNTIME_EVENTS: no callback of the reporter runs after the function returned. */
SKIPPY_API int32_t skippy_model_open_with_events(const char* path, const skippy_runtime_config* config,
                                                 const skippy_runtime_event_reporter_v1* reporter, skippy_model** out_model,
                                                 skippy_error** out_error) SKIPPY_NOEXCEPT;
/* optional, SKIPPY_FEATURE_RUNTIME_EVENTS */
SKIPPY_API int32_t skippy_model_open_from_parts_with_events(const char* const* paths, size_t path_count,
                                                            const skippy_runtime_config* config,
                                                            const skippy_runtime_event_reporter_v1* reporter,
                                                            skippy_model** out_model,
                                                            skippy_error** out_error) SKIPPY_NOEXCEPT;
/* REQUIRED: NULL is allowed and emits nothing */
SKIPPY_API int32_t skippy_model_free(skippy_model* model, skippy_error** out_error) SKIPPY_NOEXCEPT;

/* optional, SKIPPY_FEATURE_RUNTIME_EVENT_REPORTER: returns after every callback of the previous reporter returned. */
SKIPPY_API int32_t skippy_set_runtime_event_reporter(const skippy_runtime_event_reporter_v1* reporter) SKIPPY_NOEXCEPT;
/* optional, SKIPPY_FEATURE_RUNTIME_EVENT_REPORTER: returns after every callback returned; never call it from a callback. */
SKIPPY_API void skippy_clear_runtime_event_reporter(void) SKIPPY_NOEXCEPT;

/* optional, one per family, for the runtime's own use; the host only looks whether they exist. No-ops without a reporter. */
SKIPPY_API void skippy_emit_model_load_event_v2(uint32_t kind, uint64_t model_id, uint64_t numeric_0, uint64_t numeric_1,
                                                const char* detail, uint64_t detail_len) SKIPPY_NOEXCEPT;
SKIPPY_API void skippy_emit_kv_event(uint32_t kind, uint64_t session_id, uint64_t numeric_0,
                                     uint64_t numeric_1) SKIPPY_NOEXCEPT;
SKIPPY_API void skippy_emit_device_event(uint32_t kind, uint64_t numeric_0, const char* detail,
                                         uint64_t detail_len) SKIPPY_NOEXCEPT;
SKIPPY_API void skippy_emit_diagnostic_event(uint32_t kind, uint32_t failure_code, const char* detail,
                                             uint64_t detail_len) SKIPPY_NOEXCEPT;
SKIPPY_API void skippy_emit_unload_event(uint32_t kind, uint64_t model_id, uint64_t numeric_0) SKIPPY_NOEXCEPT;

/* REQUIRED. The strings of a device belong to the runtime and live as long as the process. */
SKIPPY_API int32_t skippy_backend_device_count(size_t* out_count, skippy_error** out_error) SKIPPY_NOEXCEPT;
/* REQUIRED */
SKIPPY_API int32_t skippy_backend_device_at(size_t index, skippy_backend_device* out_device,
                                            skippy_error** out_error) SKIPPY_NOEXCEPT;

/* REQUIRED. A session belongs to its model and is freed before it; one session is used by one thread at a time. */
SKIPPY_API int32_t skippy_session_create(skippy_model* model, skippy_session** out_session,
                                         skippy_error** out_error) SKIPPY_NOEXCEPT;
/* REQUIRED: NULL is allowed */
SKIPPY_API int32_t skippy_session_free(skippy_session* session, skippy_error** out_error) SKIPPY_NOEXCEPT;
/* REQUIRED */
SKIPPY_API int32_t skippy_session_reset(skippy_session* session, skippy_error** out_error) SKIPPY_NOEXCEPT;
/* REQUIRED: the number of tokens evaluated so far */
SKIPPY_API int32_t skippy_session_position(const skippy_session* session) SKIPPY_NOEXCEPT;
/* optional */
SKIPPY_API int32_t skippy_session_batch_size(const skippy_session* session) SKIPPY_NOEXCEPT;
/* optional, SKIPPY_FEATURE_SESSION_TRIM */
SKIPPY_API int32_t skippy_trim_session(skippy_session* session, uint64_t tokens, skippy_error** out_error) SKIPPY_NOEXCEPT;

/* REQUIRED: text ends at its NUL; BUFFER_TOO_SMALL sets *out_count to the capacity needed. */
SKIPPY_API int32_t skippy_tokenize(skippy_model* model, const char* text, bool add_special, int32_t* out_tokens,
                                   size_t capacity, size_t* out_count, skippy_error** out_error) SKIPPY_NOEXCEPT;
/* REQUIRED: raw bytes, which may end inside a character; BUFFER_TOO_SMALL sets *out_bytes to the capacity needed. */
SKIPPY_API int32_t skippy_detokenize(skippy_model* model, const int32_t* tokens, size_t token_count, char* out_text,
                                     size_t capacity, size_t* out_bytes, skippy_error** out_error) SKIPPY_NOEXCEPT;
/* REQUIRED */
SKIPPY_API int32_t skippy_token_is_eog(skippy_model* model, int32_t token, bool* out_is_eog,
                                       skippy_error** out_error) SKIPPY_NOEXCEPT;

/*
 * REQUIRED. The input and output buffers carry activations between the stages of a split model; a whole model takes and
 * gives none (NULL, 0, NULL, 0, NULL).
 */
SKIPPY_API int32_t skippy_prefill_chunk(skippy_session* session, const int32_t* tokens, size_t token_count,
                                        const void* input, size_t input_bytes, void* output, size_t output_capacity,
                                        size_t* out_output_bytes, skippy_error** out_error) SKIPPY_NOEXCEPT;
/* REQUIRED: evaluates token at the session's position and samples the one that follows. */
SKIPPY_API int32_t skippy_decode_step_sampled(skippy_session* session, int32_t token, const skippy_sampling_config* sampling,
                                              const void* input, size_t input_bytes, void* output, size_t output_capacity,
                                              size_t* out_output_bytes, int32_t* out_predicted,
                                              skippy_error** out_error) SKIPPY_NOEXCEPT;

/*
 * The REQUIRED functions by name. Expand with X(name); one list, so that the loader, the runtimes and the tests cannot
 * disagree.
 */
#define SKIPPY_REQUIRED_SYMBOLS(X) \
  X(skippy_abi_version)            \
  X(skippy_error_free)             \
  X(skippy_model_open)             \
  X(skippy_model_open_from_parts)  \
  X(skippy_model_free)             \
  X(skippy_session_create)         \
  X(skippy_session_free)           \
  X(skippy_session_reset)          \
  X(skippy_session_position)       \
  X(skippy_tokenize)               \
  X(skippy_detokenize)             \
  X(skippy_token_is_eog)           \
  X(skippy_prefill_chunk)          \
  X(skippy_decode_step_sampled)    \
  X(skippy_backend_device_count)   \
  X(skippy_backend_device_at)

#if defined(__cplusplus)
} /* extern "C" */
#endif

#endif /* MESH_NATIVE_ABI_SKIPPY_FUNCTIONS_H */
