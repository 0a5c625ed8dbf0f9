/*
 * The C ABI between a host and a native runtime, version 0.1.54, in the profile this project speaks.
 *
 * A native runtime is one or more shared libraries that export these functions. The host admits a runtime only when
 * skippy_abi_version() equals 0.1.54 exactly: signatures and struct layouts may differ between patches, and several structs
 * carry no size field that could reveal it. Every offset and size is pinned below, in C11 and in C++.
 *
 * The event side is complete; of the model side this header holds what the profile uses. skippy_runtime_config is our reading
 * of that patch. Sixty-four-bit targets only.
 *
 * Ownership, once for all functions:
 *   - pointers given to a function are borrowed for the call and never kept, except a reporter set by
 *     skippy_set_runtime_event_reporter, whose callback and user_data live until the matching clear returns;
 *   - an error handed out through out_error belongs to the caller and is released by skippy_error_free alone;
 *   - out_error may be NULL; on success *out_error is set to NULL;
 *   - no function throws or unwinds into its caller.
 */
#ifndef MESH_NATIVE_ABI_SKIPPY_H
#define MESH_NATIVE_ABI_SKIPPY_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(_WIN32)
#  if defined(SKIPPY_BUILD)
#    define SKIPPY_API __declspec(dllexport)
#  else
#    define SKIPPY_API
#  endif
#else
#  define SKIPPY_API __attribute__((visibility("default")))
#endif

/* The functions promise not to throw; C++ may hold them to it. */
#if defined(__cplusplus)
#  define SKIPPY_NOEXCEPT noexcept
#else
#  define SKIPPY_NOEXCEPT
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ version, features */

#define SKIPPY_ABI_VERSION_MAJOR 0
#define SKIPPY_ABI_VERSION_MINOR 1
#define SKIPPY_ABI_VERSION_PATCH 54

typedef struct skippy_abi_version {
    uint32_t major;
    uint32_t minor;
    uint32_t patch;
} skippy_abi_version_t;

/*
 * Feature bits of skippy_abi_features(). A runtime sets only the bits of what it really does. Bits are macros and not
 * enumerators: an enumerator 1 << 31 and above does not fit the int that C gives an enumeration constant.
 */
#define SKIPPY_FEATURE_RUNTIME_SLICE           ((uint64_t)1 << 0)
#define SKIPPY_FEATURE_LAYER_PACKAGE           ((uint64_t)1 << 1)
#define SKIPPY_FEATURE_ARTIFACT_SLICE          ((uint64_t)1 << 2)
#define SKIPPY_FEATURE_MODEL_INTROSPECTION     ((uint64_t)1 << 3)
#define SKIPPY_FEATURE_GGUF_SLICE_WRITE        ((uint64_t)1 << 4)
#define SKIPPY_FEATURE_STATE_IMPORT_EXPORT     ((uint64_t)1 << 5)
#define SKIPPY_FEATURE_TOKENIZE_DETOKENIZE     ((uint64_t)1 << 6)
#define SKIPPY_FEATURE_ACTIVATION_FRAME        ((uint64_t)1 << 7)
#define SKIPPY_FEATURE_NATIVE_KV_PAGE          ((uint64_t)1 << 8)
#define SKIPPY_FEATURE_SESSION_RESET           ((uint64_t)1 << 9)
#define SKIPPY_FEATURE_BATCH_VERIFY            ((uint64_t)1 << 10)
#define SKIPPY_FEATURE_CHAT_TEMPLATE           ((uint64_t)1 << 11)
#define SKIPPY_FEATURE_SAMPLING_CONFIG         ((uint64_t)1 << 12)
#define SKIPPY_FEATURE_BATCH_VERIFY_FRAME      ((uint64_t)1 << 13)
#define SKIPPY_FEATURE_RECURRENT_STATE         ((uint64_t)1 << 14)
#define SKIPPY_FEATURE_LOGIT_BIAS              ((uint64_t)1 << 15)
#define SKIPPY_FEATURE_SESSION_TRIM            ((uint64_t)1 << 16)
#define SKIPPY_FEATURE_STAGE_PLAN              ((uint64_t)1 << 17) /* earlier SESSION_CHECKPOINT, retired */
#define SKIPPY_FEATURE_PACKAGE_PART_LOAD       ((uint64_t)1 << 18)
#define SKIPPY_FEATURE_GENERATION_SIGNALS      ((uint64_t)1 << 19)
#define SKIPPY_FEATURE_EXTERNAL_MEDIA_PREFILL  ((uint64_t)1 << 20)
#define SKIPPY_FEATURE_CHAT_TEMPLATE_TOOLS     ((uint64_t)1 << 21)
#define SKIPPY_FEATURE_CHAT_SAMPLING_GRAMMAR   ((uint64_t)1 << 22)
#define SKIPPY_FEATURE_BACKEND_DEVICES         ((uint64_t)1 << 23)
#define SKIPPY_FEATURE_RUNTIME_EVENTS          ((uint64_t)1 << 24)
#define SKIPPY_FEATURE_NATIVE_MTP_N1           ((uint64_t)1 << 25)
#define SKIPPY_FEATURE_NGRAM_CACHE_DRAFT       ((uint64_t)1 << 26)
#define SKIPPY_FEATURE_INKLING_MTP_MM          ((uint64_t)1 << 27)
#define SKIPPY_FEATURE_ITERATION_BATCH         ((uint64_t)1 << 28)
#define SKIPPY_FEATURE_ACTIVATION_BOUNDARY     ((uint64_t)1 << 29)
#define SKIPPY_FEATURE_MODEL_SOURCE            ((uint64_t)1 << 30)
#define SKIPPY_FEATURE_RUNTIME_EVENT_REPORTER  ((uint64_t)1 << 31)
#define SKIPPY_FEATURE_MODEL_LOAD_EVENTS_V2    ((uint64_t)1 << 32)
#define SKIPPY_FEATURE_KV_EVENTS               ((uint64_t)1 << 33)
#define SKIPPY_FEATURE_DEVICE_EVENTS           ((uint64_t)1 << 34)
#define SKIPPY_FEATURE_DIAGNOSTIC_EVENTS       ((uint64_t)1 << 35)
#define SKIPPY_FEATURE_UNLOAD_EVENTS           ((uint64_t)1 << 36)
#define SKIPPY_FEATURE_NON_CHAT_WORKLOADS      ((uint64_t)1 << 37)
/* Bits 38 and 39 are named upstream (which is which is not confirmed), so they are known and yet not used here. */
#define SKIPPY_FEATURE_NAMED_BIT_38            ((uint64_t)1 << 38)
#define SKIPPY_FEATURE_NAMED_BIT_39            ((uint64_t)1 << 39)
#define SKIPPY_FEATURE_LAYA_DECISIONS          ((uint64_t)1 << 40)

#define SKIPPY_FEATURE_BIT_KNOWN_MAX 40

/* ------------------------------------------------------------------------------------------------------- enumerations */

/* Result of every fallible function. Read it as int32_t: a foreign runtime may return a number outside this list. */
enum skippy_status {
    SKIPPY_STATUS_OK = 0,
    SKIPPY_STATUS_ERROR = 1,
    SKIPPY_STATUS_INVALID_ARGUMENT = 2,
    SKIPPY_STATUS_UNSUPPORTED = 3,
    SKIPPY_STATUS_BUFFER_TOO_SMALL = 4,
    SKIPPY_STATUS_IO_ERROR = 5,
    SKIPPY_STATUS_MODEL_ERROR = 6,
    SKIPPY_STATUS_RUNTIME_ERROR = 7
};

enum skippy_event_category {
    SKIPPY_EVENT_CATEGORY_MODEL_OPEN = 1,
    SKIPPY_EVENT_CATEGORY_BACKEND = 2,
    SKIPPY_EVENT_CATEGORY_SESSION = 3,
    SKIPPY_EVENT_CATEGORY_KV = 4,
    SKIPPY_EVENT_CATEGORY_WARNING = 5,
    SKIPPY_EVENT_CATEGORY_DEVICE = 6,
    SKIPPY_EVENT_CATEGORY_DIAGNOSTIC = 7,
    SKIPPY_EVENT_CATEGORY_UNLOAD = 8
};

/* One number space for all families, so that a kind decodes without its category. */
enum skippy_event_kind {
    /* per-call reporter of an open, SKIPPY_FEATURE_RUNTIME_EVENTS */
    SKIPPY_EVENT_KIND_MODEL_OPEN_STARTED = 1,
    SKIPPY_EVENT_KIND_MODEL_OPEN_PROGRESS = 2,
    SKIPPY_EVENT_KIND_BACKEND_DEVICE_SELECTED = 3,
    SKIPPY_EVENT_KIND_MODEL_OPEN_FINISHED = 4,
    SKIPPY_EVENT_KIND_MODEL_OPEN_FAILED_HANDLED = 5,
    /* SKIPPY_FEATURE_MODEL_LOAD_EVENTS_V2, category MODEL_OPEN */
    SKIPPY_EVENT_KIND_MODEL_LOAD_PHASE_CHANGED = 100,
    SKIPPY_EVENT_KIND_MODEL_LOAD_MEMORY_ALLOCATED = 101,
    SKIPPY_EVENT_KIND_MODEL_LOAD_TENSORS_OFFLOADED = 102,
    SKIPPY_EVENT_KIND_MODEL_LOAD_TOKENIZER_READY = 103,
    SKIPPY_EVENT_KIND_MODEL_LOAD_AUX_COMPONENT_READY = 104,
    /* SKIPPY_FEATURE_KV_EVENTS */
    SKIPPY_EVENT_KIND_KV_INITIALIZED = 200,
    SKIPPY_EVENT_KIND_KV_PRESSURE_CROSSED = 201,
    SKIPPY_EVENT_KIND_KV_PRESSURE_CLEARED = 202,
    SKIPPY_EVENT_KIND_KV_CONTEXT_APPROACHING_CAPACITY = 203,
    SKIPPY_EVENT_KIND_KV_CONTEXT_CAPACITY_EXHAUSTED = 204,
    /* SKIPPY_FEATURE_DEVICE_EVENTS */
    SKIPPY_EVENT_KIND_DEVICE_BACKEND_INITIALIZED = 300,
    SKIPPY_EVENT_KIND_DEVICE_READY = 301,
    SKIPPY_EVENT_KIND_DEVICE_DEGRADED = 302,
    SKIPPY_EVENT_KIND_DEVICE_UNAVAILABLE = 303,
    SKIPPY_EVENT_KIND_DEVICE_RECOVERED = 304,
    SKIPPY_EVENT_KIND_DEVICE_LOST = 305,
    SKIPPY_EVENT_KIND_DEVICE_RESOURCE_ALLOCATED = 306,
    SKIPPY_EVENT_KIND_DEVICE_OUT_OF_MEMORY = 307,
    SKIPPY_EVENT_KIND_DEVICE_FALLBACK_ACTIVATED = 308,
    /* SKIPPY_FEATURE_DIAGNOSTIC_EVENTS */
    SKIPPY_EVENT_KIND_DIAGNOSTIC_WARNING_RAISED = 400,
    SKIPPY_EVENT_KIND_DIAGNOSTIC_WARNING_CLEARED = 401,
    SKIPPY_EVENT_KIND_DIAGNOSTIC_RECOVERABLE_FAILURE = 402,
    SKIPPY_EVENT_KIND_DIAGNOSTIC_FATAL_FAILURE = 403,
    SKIPPY_EVENT_KIND_DIAGNOSTIC_INVARIANT_VIOLATION = 404,
    /* SKIPPY_FEATURE_UNLOAD_EVENTS */
    SKIPPY_EVENT_KIND_UNLOAD_STARTED = 500,
    SKIPPY_EVENT_KIND_UNLOAD_COMPLETED = 501,
    SKIPPY_EVENT_KIND_UNLOAD_FAILED = 502,
    SKIPPY_EVENT_KIND_UNLOAD_FORCED = 503,
    SKIPPY_EVENT_KIND_UNLOAD_SESSION_DRAINING = 504
};

enum skippy_event_emitter {
    SKIPPY_EVENT_EMITTER_UNKNOWN = 0,
    SKIPPY_EVENT_EMITTER_OPEN_THREAD = 1,
    SKIPPY_EVENT_EMITTER_WORKER_THREAD = 2
};

enum skippy_event_progress_unit {
    SKIPPY_EVENT_PROGRESS_UNIT_NONE = 0,
    SKIPPY_EVENT_PROGRESS_UNIT_BYTES = 1,
    SKIPPY_EVENT_PROGRESS_UNIT_ITEMS = 2,
    SKIPPY_EVENT_PROGRESS_UNIT_TENSORS = 3,
    SKIPPY_EVENT_PROGRESS_UNIT_STEPS = 4
};

enum skippy_event_failure_code {
    SKIPPY_EVENT_FAILURE_NONE = 0,
    SKIPPY_EVENT_FAILURE_INVALID_ARGUMENT = 1,
    SKIPPY_EVENT_FAILURE_IO_ERROR = 2,
    SKIPPY_EVENT_FAILURE_MODEL_ERROR = 3,
    SKIPPY_EVENT_FAILURE_RUNTIME_ERROR = 4,
    SKIPPY_EVENT_FAILURE_BACKEND_ERROR = 5,
    SKIPPY_EVENT_FAILURE_CANCELLED = 6,
    SKIPPY_EVENT_FAILURE_INTERNAL_ERROR = 7
};

enum skippy_load_mode { SKIPPY_LOAD_MODE_RUNTIME_SLICE = 0, SKIPPY_LOAD_MODE_LAYER_PACKAGE = 1, SKIPPY_LOAD_MODE_ARTIFACT_SLICE = 2 };

enum skippy_mtp_source { SKIPPY_MTP_SOURCE_DISABLED = 0, SKIPPY_MTP_SOURCE_INTEGRATED = 1, SKIPPY_MTP_SOURCE_EXTERNAL = 2 };

enum skippy_tri_state { SKIPPY_TRI_STATE_AUTO = -1, SKIPPY_TRI_STATE_OFF = 0, SKIPPY_TRI_STATE_ON = 1 };

/* Numbers of ggml_type and llama_split_mode that a host writes itself; the others pass through as numbers. */
#define SKIPPY_CACHE_TYPE_F16   1
#define SKIPPY_SPLIT_MODE_LAYER 1

enum skippy_device_type {
    SKIPPY_DEVICE_TYPE_CPU = 0,
    SKIPPY_DEVICE_TYPE_GPU = 1,
    SKIPPY_DEVICE_TYPE_IGPU = 2,
    SKIPPY_DEVICE_TYPE_ACCEL = 3,
    SKIPPY_DEVICE_TYPE_META = 4
};

#define SKIPPY_DEVICE_CAPABILITY_ASYNC                ((uint64_t)1)
#define SKIPPY_DEVICE_CAPABILITY_HOST_BUFFER          ((uint64_t)2)
#define SKIPPY_DEVICE_CAPABILITY_BUFFER_FROM_HOST_PTR ((uint64_t)4)
#define SKIPPY_DEVICE_CAPABILITY_EVENTS               ((uint64_t)8)

/* ------------------------------------------------------------------------------------------------------------- events */

#define SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION 1u
#define SKIPPY_RUNTIME_EVENT_V1_BASE_SIZE   112u
#define SKIPPY_RUNTIME_EVENT_V1_SIZE        144u

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
    const char *detail_ptr;
    uint64_t detail_len;
    uint64_t numeric_summary_0;
    uint64_t numeric_summary_1;
    uint64_t numeric_summary_2;
    uint64_t numeric_summary_3;
} skippy_runtime_event_v1;

typedef void (*skippy_runtime_event_callback_v1)(const skippy_runtime_event_v1 *event, void *user_data);

/*
 * How a runtime checks a reporter given to an open, in this order: NULL reporter, no events; struct_size below 24,
 * INVALID_ARGUMENT; NULL callback, no events; abi_version other than 1, UNSUPPORTED. A refused reporter emits nothing.
 */
typedef struct skippy_runtime_event_reporter_v1 {
    uint32_t abi_version; /* SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION */
    uint32_t struct_size; /* sizeof(skippy_runtime_event_reporter_v1) */
    skippy_runtime_event_callback_v1 callback;
    void *user_data;
} skippy_runtime_event_reporter_v1;

/* ---------------------------------------------------------------------------------------------- errors, devices, config */

typedef struct skippy_error {
    int32_t status; /* enum skippy_status */
    const char *message;
} skippy_error;

typedef struct skippy_backend_device {
    uint32_t version;
    const char *name;
    const char *description;
    const char *device_id;
    uint64_t memory_free;
    uint64_t memory_total;
    int32_t device_type; /* enum skippy_device_type */
    uint64_t caps;       /* SKIPPY_DEVICE_CAPABILITY_* */
} skippy_backend_device;

/*
 * Has neither version nor size: safe only because the whole ABI is admitted by its exact version. A host starts from
 * skippy_runtime_config_defaults() below and changes what it wants to decide.
 */
typedef struct skippy_runtime_config {
    int32_t stage_index;
    int32_t layer_start;
    int32_t layer_end;
    int32_t ctx_size;
    int32_t lane_count;
    int32_t n_batch;
    int32_t n_ubatch;
    int32_t n_threads;
    int32_t n_threads_batch;
    int32_t n_gpu_layers;
    bool has_mmap_override; /* use_mmap counts only when this is true */
    bool use_mmap;
    bool use_mlock;
    int32_t cache_type_k;
    int32_t cache_type_v;
    int32_t flash_attn_type;
    int32_t load_mode; /* enum skippy_load_mode */
    bool disable_repack;
    bool use_mmap_prefetch;
    bool use_mmap_buffer;
    bool filter_tensors_on_load;
    const char *const *resident_tensor_names;
    size_t resident_tensor_name_count;
    bool include_embeddings;
    bool include_output;
    int32_t mtp_source; /* enum skippy_mtp_source */
    const char *selected_backend_device;
    int32_t glm_dsa_policy_profile;
    uint32_t flags;
    int32_t short_prefill_max_tokens;
    int32_t direct_sparse_decode_max_top_k;
    uint64_t dense_sparse_mask_max_bytes;
    int32_t compact_flash_min_kv;
    int32_t kv_offload; /* enum skippy_tri_state, as the next three */
    int32_t kv_unified;
    int32_t swa_full;
    int32_t op_offload;
    bool no_host_buffer;
    bool check_tensors;
    bool use_direct_io;
    bool has_main_gpu_override; /* main_gpu counts only when this is true */
    int32_t main_gpu;
    int32_t split_mode;
} skippy_runtime_config;

/*
 * "Let the runtime decide", field by field: the whole model (layer_start = layer_end = 0), 0 for a size or a count, -1 for
 * a choice of which 0 is a real value (stage, GPU layers, flash attention, tri-states), false and NULL for the rest. Cache
 * types and split mode have no value for it, so they are what llama.cpp itself takes: F16, and by layer. These are what a
 * NULL config means, written out; embeddings and output belong to a whole model.
 */
static inline skippy_runtime_config skippy_runtime_config_defaults(void) {
    skippy_runtime_config config;
    memset(&config, 0, sizeof config);
    config.stage_index = -1;
    config.n_gpu_layers = -1;
    config.cache_type_k = SKIPPY_CACHE_TYPE_F16;
    config.cache_type_v = SKIPPY_CACHE_TYPE_F16;
    config.flash_attn_type = -1;
    config.include_embeddings = true;
    config.include_output = true;
    config.kv_offload = SKIPPY_TRI_STATE_AUTO;
    config.kv_unified = SKIPPY_TRI_STATE_AUTO;
    config.swa_full = SKIPPY_TRI_STATE_AUTO;
    config.op_offload = SKIPPY_TRI_STATE_AUTO;
    config.split_mode = SKIPPY_SPLIT_MODE_LAYER;
    return config;
}

#define SKIPPY_SAMPLING_LOGIT_BIAS_MAX 256

typedef struct skippy_logit_bias {
    int32_t token;
    float bias;
} skippy_logit_bias;

/* NULL in place of a sampling config means greedy decoding. */
typedef struct skippy_sampling_config {
    uint32_t version;
    uint32_t flags;
    uint32_t seed;
    int32_t top_k;
    int32_t penalty_last_n;
    float temperature;
    float top_p;
    float presence_penalty;
    float frequency_penalty;
    float repeat_penalty;
    uint32_t logit_bias_count;
    float min_p;
    skippy_logit_bias logit_bias[SKIPPY_SAMPLING_LOGIT_BIAS_MAX];
} skippy_sampling_config;

/* ----------------------------------------------------------------------------------------------------------- functions */

typedef struct skippy_model skippy_model;
typedef struct skippy_session skippy_session;

/* REQUIRED: a runtime without one of the functions marked so is not admitted. */
/* REQUIRED */ SKIPPY_API skippy_abi_version_t skippy_abi_version(void) SKIPPY_NOEXCEPT;
/* optional: absent means no features */ SKIPPY_API uint64_t skippy_abi_features(void) SKIPPY_NOEXCEPT;
/* REQUIRED: frees the message and the struct; NULL is allowed */ SKIPPY_API void skippy_error_free(skippy_error *error) SKIPPY_NOEXCEPT;

/* REQUIRED: a NULL config means the whole model with the runtime's defaults. */
SKIPPY_API int32_t skippy_model_open(const char *path, const skippy_runtime_config *config, skippy_model **out_model,
                                     skippy_error **out_error) SKIPPY_NOEXCEPT;
/* REQUIRED */
SKIPPY_API int32_t skippy_model_open_from_parts(const char *const *paths, size_t path_count, const skippy_runtime_config *config,
                                                skippy_model **out_model, skippy_error **out_error) SKIPPY_NOEXCEPT;
/* optional, SKIPPY_FEATURE_RUNTIME_EVENTS: no callback of the reporter runs after the function returned. */
SKIPPY_API int32_t skippy_model_open_with_events(const char *path, const skippy_runtime_config *config,
                                                 const skippy_runtime_event_reporter_v1 *reporter, skippy_model **out_model,
                                                 skippy_error **out_error) SKIPPY_NOEXCEPT;
/* optional, SKIPPY_FEATURE_RUNTIME_EVENTS */
SKIPPY_API int32_t skippy_model_open_from_parts_with_events(const char *const *paths, size_t path_count,
                                                            const skippy_runtime_config *config,
                                                            const skippy_runtime_event_reporter_v1 *reporter,
                                                            skippy_model **out_model, skippy_error **out_error) SKIPPY_NOEXCEPT;
/* REQUIRED: NULL is allowed and emits nothing */
SKIPPY_API int32_t skippy_model_free(skippy_model *model, skippy_error **out_error) SKIPPY_NOEXCEPT;

/* optional, SKIPPY_FEATURE_RUNTIME_EVENT_REPORTER: returns after every callback of the previous reporter returned. */
SKIPPY_API int32_t skippy_set_runtime_event_reporter(const skippy_runtime_event_reporter_v1 *reporter) SKIPPY_NOEXCEPT;
/* optional, SKIPPY_FEATURE_RUNTIME_EVENT_REPORTER: returns after every callback returned; never call it from a callback. */
SKIPPY_API void skippy_clear_runtime_event_reporter(void) SKIPPY_NOEXCEPT;

/* optional, one per family, for the runtime's own use; the host only looks whether they exist. No-ops without a reporter. */
SKIPPY_API void skippy_emit_model_load_event_v2(uint32_t kind, uint64_t model_id, uint64_t numeric_0, uint64_t numeric_1,
                                                const char *detail, uint64_t detail_len) SKIPPY_NOEXCEPT;
SKIPPY_API void skippy_emit_kv_event(uint32_t kind, uint64_t session_id, uint64_t numeric_0, uint64_t numeric_1) SKIPPY_NOEXCEPT;
SKIPPY_API void skippy_emit_device_event(uint32_t kind, uint64_t numeric_0, const char *detail, uint64_t detail_len) SKIPPY_NOEXCEPT;
SKIPPY_API void skippy_emit_diagnostic_event(uint32_t kind, uint32_t failure_code, const char *detail,
                                             uint64_t detail_len) SKIPPY_NOEXCEPT;
SKIPPY_API void skippy_emit_unload_event(uint32_t kind, uint64_t model_id, uint64_t numeric_0) SKIPPY_NOEXCEPT;

/* REQUIRED. The strings of a device belong to the runtime and live as long as the process. */
SKIPPY_API int32_t skippy_backend_device_count(size_t *out_count, skippy_error **out_error) SKIPPY_NOEXCEPT;
/* REQUIRED */
SKIPPY_API int32_t skippy_backend_device_at(size_t index, skippy_backend_device *out_device, skippy_error **out_error) SKIPPY_NOEXCEPT;

/* REQUIRED. A session belongs to its model and is freed before it; one session is used by one thread at a time. */
SKIPPY_API int32_t skippy_session_create(skippy_model *model, skippy_session **out_session, skippy_error **out_error) SKIPPY_NOEXCEPT;
/* REQUIRED: NULL is allowed */
SKIPPY_API int32_t skippy_session_free(skippy_session *session, skippy_error **out_error) SKIPPY_NOEXCEPT;
/* REQUIRED */
SKIPPY_API int32_t skippy_session_reset(skippy_session *session, skippy_error **out_error) SKIPPY_NOEXCEPT;
/* REQUIRED: the number of tokens evaluated so far */
SKIPPY_API int32_t skippy_session_position(const skippy_session *session) SKIPPY_NOEXCEPT;
/* optional */
SKIPPY_API int32_t skippy_session_batch_size(const skippy_session *session) SKIPPY_NOEXCEPT;
/* optional, SKIPPY_FEATURE_SESSION_TRIM */
SKIPPY_API int32_t skippy_trim_session(skippy_session *session, uint64_t tokens, skippy_error **out_error) SKIPPY_NOEXCEPT;

/* REQUIRED: text ends at its NUL; BUFFER_TOO_SMALL sets *out_count to the capacity needed. */
SKIPPY_API int32_t skippy_tokenize(skippy_model *model, const char *text, bool add_special, int32_t *out_tokens, size_t capacity,
                                   size_t *out_count, skippy_error **out_error) SKIPPY_NOEXCEPT;
/* REQUIRED: raw bytes, which may end inside a character; BUFFER_TOO_SMALL sets *out_bytes to the capacity needed. */
SKIPPY_API int32_t skippy_detokenize(skippy_model *model, const int32_t *tokens, size_t token_count, char *out_text, size_t capacity,
                                     size_t *out_bytes, skippy_error **out_error) SKIPPY_NOEXCEPT;
/* REQUIRED */
SKIPPY_API int32_t skippy_token_is_eog(skippy_model *model, int32_t token, bool *out_is_eog, skippy_error **out_error) SKIPPY_NOEXCEPT;

/*
 * REQUIRED. The input and output buffers carry activations between the stages of a split model; a whole model takes and
 * gives none (NULL, 0, NULL, 0, NULL).
 */
SKIPPY_API int32_t skippy_prefill_chunk(skippy_session *session, const int32_t *tokens, size_t token_count, const void *input,
                                        size_t input_bytes, void *output, size_t output_capacity, size_t *out_output_bytes,
                                        skippy_error **out_error) SKIPPY_NOEXCEPT;
/* REQUIRED: evaluates token at the session's position and samples the one that follows. */
SKIPPY_API int32_t skippy_decode_step_sampled(skippy_session *session, int32_t token, const skippy_sampling_config *sampling,
                                              const void *input, size_t input_bytes, void *output, size_t output_capacity,
                                              size_t *out_output_bytes, int32_t *out_predicted, skippy_error **out_error) SKIPPY_NOEXCEPT;

/*
 * The REQUIRED functions by name. Expand with X(name); one list, so that the loader, the runtimes and the tests cannot
 * disagree.
 */
#define SKIPPY_REQUIRED_SYMBOLS(X)      \
    X(skippy_abi_version)               \
    X(skippy_error_free)                \
    X(skippy_model_open)                \
    X(skippy_model_open_from_parts)     \
    X(skippy_model_free)                \
    X(skippy_session_create)            \
    X(skippy_session_free)              \
    X(skippy_session_reset)             \
    X(skippy_session_position)          \
    X(skippy_tokenize)                  \
    X(skippy_detokenize)                \
    X(skippy_token_is_eog)              \
    X(skippy_prefill_chunk)             \
    X(skippy_decode_step_sampled)       \
    X(skippy_backend_device_count)      \
    X(skippy_backend_device_at)

#if defined(__cplusplus)
} /* extern "C" */
#endif

/* ------------------------------------------------------------------------------------------------------ pinned layouts */

/* C11 spells it _Static_assert, and <assert.h> gives C the C++ name. */
#define SKIPPY_SIZE(type, bytes)          static_assert(sizeof(type) == (bytes), "size of " #type)
#define SKIPPY_OFFSET(type, field, bytes) static_assert(offsetof(type, field) == (bytes), "offset of " #type "." #field)

static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8, "this ABI is defined for 64-bit targets");
static_assert(sizeof(bool) == 1, "this ABI passes bool as one byte");

SKIPPY_SIZE(skippy_abi_version_t, 12);
SKIPPY_OFFSET(skippy_abi_version_t, major, 0);
SKIPPY_OFFSET(skippy_abi_version_t, minor, 4);
SKIPPY_OFFSET(skippy_abi_version_t, patch, 8);

SKIPPY_SIZE(skippy_runtime_event_v1, SKIPPY_RUNTIME_EVENT_V1_SIZE);
SKIPPY_OFFSET(skippy_runtime_event_v1, abi_version, 0);
SKIPPY_OFFSET(skippy_runtime_event_v1, struct_size, 4);
SKIPPY_OFFSET(skippy_runtime_event_v1, category, 8);
SKIPPY_OFFSET(skippy_runtime_event_v1, kind, 12);
SKIPPY_OFFSET(skippy_runtime_event_v1, emitter, 16);
SKIPPY_OFFSET(skippy_runtime_event_v1, reserved0, 20);
SKIPPY_OFFSET(skippy_runtime_event_v1, sequence, 24);
SKIPPY_OFFSET(skippy_runtime_event_v1, timestamp_mono_ns, 32);
SKIPPY_OFFSET(skippy_runtime_event_v1, model_id, 40);
SKIPPY_OFFSET(skippy_runtime_event_v1, stage_id, 48);
SKIPPY_OFFSET(skippy_runtime_event_v1, session_id, 56);
SKIPPY_OFFSET(skippy_runtime_event_v1, progress_current, 64);
SKIPPY_OFFSET(skippy_runtime_event_v1, progress_total, 72);
SKIPPY_OFFSET(skippy_runtime_event_v1, progress_unit, 80);
SKIPPY_OFFSET(skippy_runtime_event_v1, failure_code, 84);
SKIPPY_OFFSET(skippy_runtime_event_v1, status, 88);
SKIPPY_OFFSET(skippy_runtime_event_v1, reserved1, 92);
SKIPPY_OFFSET(skippy_runtime_event_v1, detail_ptr, 96);
SKIPPY_OFFSET(skippy_runtime_event_v1, detail_len, 104);
SKIPPY_OFFSET(skippy_runtime_event_v1, numeric_summary_0, SKIPPY_RUNTIME_EVENT_V1_BASE_SIZE);
SKIPPY_OFFSET(skippy_runtime_event_v1, numeric_summary_1, 120);
SKIPPY_OFFSET(skippy_runtime_event_v1, numeric_summary_2, 128);
SKIPPY_OFFSET(skippy_runtime_event_v1, numeric_summary_3, 136);

SKIPPY_SIZE(skippy_runtime_event_reporter_v1, 24);
SKIPPY_OFFSET(skippy_runtime_event_reporter_v1, abi_version, 0);
SKIPPY_OFFSET(skippy_runtime_event_reporter_v1, struct_size, 4);
SKIPPY_OFFSET(skippy_runtime_event_reporter_v1, callback, 8);
SKIPPY_OFFSET(skippy_runtime_event_reporter_v1, user_data, 16);

SKIPPY_SIZE(skippy_error, 16);
SKIPPY_OFFSET(skippy_error, status, 0);
SKIPPY_OFFSET(skippy_error, message, 8);

SKIPPY_SIZE(skippy_backend_device, 64);
SKIPPY_OFFSET(skippy_backend_device, version, 0);
SKIPPY_OFFSET(skippy_backend_device, name, 8);
SKIPPY_OFFSET(skippy_backend_device, description, 16);
SKIPPY_OFFSET(skippy_backend_device, device_id, 24);
SKIPPY_OFFSET(skippy_backend_device, memory_free, 32);
SKIPPY_OFFSET(skippy_backend_device, memory_total, 40);
SKIPPY_OFFSET(skippy_backend_device, device_type, 48);
SKIPPY_OFFSET(skippy_backend_device, caps, 56);

SKIPPY_SIZE(skippy_runtime_config, 152);
SKIPPY_OFFSET(skippy_runtime_config, stage_index, 0);
SKIPPY_OFFSET(skippy_runtime_config, layer_start, 4);
SKIPPY_OFFSET(skippy_runtime_config, layer_end, 8);
SKIPPY_OFFSET(skippy_runtime_config, ctx_size, 12);
SKIPPY_OFFSET(skippy_runtime_config, lane_count, 16);
SKIPPY_OFFSET(skippy_runtime_config, n_batch, 20);
SKIPPY_OFFSET(skippy_runtime_config, n_ubatch, 24);
SKIPPY_OFFSET(skippy_runtime_config, n_threads, 28);
SKIPPY_OFFSET(skippy_runtime_config, n_threads_batch, 32);
SKIPPY_OFFSET(skippy_runtime_config, n_gpu_layers, 36);
SKIPPY_OFFSET(skippy_runtime_config, has_mmap_override, 40);
SKIPPY_OFFSET(skippy_runtime_config, use_mmap, 41);
SKIPPY_OFFSET(skippy_runtime_config, use_mlock, 42);
SKIPPY_OFFSET(skippy_runtime_config, cache_type_k, 44);
SKIPPY_OFFSET(skippy_runtime_config, cache_type_v, 48);
SKIPPY_OFFSET(skippy_runtime_config, flash_attn_type, 52);
SKIPPY_OFFSET(skippy_runtime_config, load_mode, 56);
SKIPPY_OFFSET(skippy_runtime_config, disable_repack, 60);
SKIPPY_OFFSET(skippy_runtime_config, use_mmap_prefetch, 61);
SKIPPY_OFFSET(skippy_runtime_config, use_mmap_buffer, 62);
SKIPPY_OFFSET(skippy_runtime_config, filter_tensors_on_load, 63);
SKIPPY_OFFSET(skippy_runtime_config, resident_tensor_names, 64);
SKIPPY_OFFSET(skippy_runtime_config, resident_tensor_name_count, 72);
SKIPPY_OFFSET(skippy_runtime_config, include_embeddings, 80);
SKIPPY_OFFSET(skippy_runtime_config, include_output, 81);
SKIPPY_OFFSET(skippy_runtime_config, mtp_source, 84);
SKIPPY_OFFSET(skippy_runtime_config, selected_backend_device, 88);
SKIPPY_OFFSET(skippy_runtime_config, glm_dsa_policy_profile, 96);
SKIPPY_OFFSET(skippy_runtime_config, flags, 100);
SKIPPY_OFFSET(skippy_runtime_config, short_prefill_max_tokens, 104);
SKIPPY_OFFSET(skippy_runtime_config, direct_sparse_decode_max_top_k, 108);
SKIPPY_OFFSET(skippy_runtime_config, dense_sparse_mask_max_bytes, 112);
SKIPPY_OFFSET(skippy_runtime_config, compact_flash_min_kv, 120);
SKIPPY_OFFSET(skippy_runtime_config, kv_offload, 124);
SKIPPY_OFFSET(skippy_runtime_config, kv_unified, 128);
SKIPPY_OFFSET(skippy_runtime_config, swa_full, 132);
SKIPPY_OFFSET(skippy_runtime_config, op_offload, 136);
SKIPPY_OFFSET(skippy_runtime_config, no_host_buffer, 140);
SKIPPY_OFFSET(skippy_runtime_config, check_tensors, 141);
SKIPPY_OFFSET(skippy_runtime_config, use_direct_io, 142);
SKIPPY_OFFSET(skippy_runtime_config, has_main_gpu_override, 143);
SKIPPY_OFFSET(skippy_runtime_config, main_gpu, 144);
SKIPPY_OFFSET(skippy_runtime_config, split_mode, 148);

SKIPPY_SIZE(skippy_logit_bias, 8);
SKIPPY_SIZE(skippy_sampling_config, 2096);
SKIPPY_OFFSET(skippy_sampling_config, version, 0);
SKIPPY_OFFSET(skippy_sampling_config, flags, 4);
SKIPPY_OFFSET(skippy_sampling_config, seed, 8);
SKIPPY_OFFSET(skippy_sampling_config, top_k, 12);
SKIPPY_OFFSET(skippy_sampling_config, penalty_last_n, 16);
SKIPPY_OFFSET(skippy_sampling_config, temperature, 20);
SKIPPY_OFFSET(skippy_sampling_config, top_p, 24);
SKIPPY_OFFSET(skippy_sampling_config, presence_penalty, 28);
SKIPPY_OFFSET(skippy_sampling_config, frequency_penalty, 32);
SKIPPY_OFFSET(skippy_sampling_config, repeat_penalty, 36);
SKIPPY_OFFSET(skippy_sampling_config, logit_bias_count, 40);
SKIPPY_OFFSET(skippy_sampling_config, min_p, 44);
SKIPPY_OFFSET(skippy_sampling_config, logit_bias, 48);

#endif /* MESH_NATIVE_ABI_SKIPPY_H */
