/* Version and feature bits of the ABI. Part of skippy.h. */
#ifndef MESH_NATIVE_ABI_SKIPPY_VERSION_H
#define MESH_NATIVE_ABI_SKIPPY_VERSION_H

#include <stdint.h>

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
#define SKIPPY_FEATURE_RUNTIME_SLICE ((uint64_t)1 << 0)
#define SKIPPY_FEATURE_LAYER_PACKAGE ((uint64_t)1 << 1)
#define SKIPPY_FEATURE_ARTIFACT_SLICE ((uint64_t)1 << 2)
#define SKIPPY_FEATURE_MODEL_INTROSPECTION ((uint64_t)1 << 3)
#define SKIPPY_FEATURE_GGUF_SLICE_WRITE ((uint64_t)1 << 4)
#define SKIPPY_FEATURE_STATE_IMPORT_EXPORT ((uint64_t)1 << 5)
#define SKIPPY_FEATURE_TOKENIZE_DETOKENIZE ((uint64_t)1 << 6)
#define SKIPPY_FEATURE_ACTIVATION_FRAME ((uint64_t)1 << 7)
#define SKIPPY_FEATURE_NATIVE_KV_PAGE ((uint64_t)1 << 8)
#define SKIPPY_FEATURE_SESSION_RESET ((uint64_t)1 << 9)
#define SKIPPY_FEATURE_BATCH_VERIFY ((uint64_t)1 << 10)
#define SKIPPY_FEATURE_CHAT_TEMPLATE ((uint64_t)1 << 11)
#define SKIPPY_FEATURE_SAMPLING_CONFIG ((uint64_t)1 << 12)
#define SKIPPY_FEATURE_BATCH_VERIFY_FRAME ((uint64_t)1 << 13)
#define SKIPPY_FEATURE_RECURRENT_STATE ((uint64_t)1 << 14)
#define SKIPPY_FEATURE_LOGIT_BIAS ((uint64_t)1 << 15)
#define SKIPPY_FEATURE_SESSION_TRIM ((uint64_t)1 << 16)
#define SKIPPY_FEATURE_STAGE_PLAN ((uint64_t)1 << 17) /* earlier SESSION_CHECKPOINT, retired */
#define SKIPPY_FEATURE_PACKAGE_PART_LOAD ((uint64_t)1 << 18)
#define SKIPPY_FEATURE_GENERATION_SIGNALS ((uint64_t)1 << 19)
#define SKIPPY_FEATURE_EXTERNAL_MEDIA_PREFILL ((uint64_t)1 << 20)
#define SKIPPY_FEATURE_CHAT_TEMPLATE_TOOLS ((uint64_t)1 << 21)
#define SKIPPY_FEATURE_CHAT_SAMPLING_GRAMMAR ((uint64_t)1 << 22)
#define SKIPPY_FEATURE_BACKEND_DEVICES ((uint64_t)1 << 23)
#define SKIPPY_FEATURE_RUNTIME_EVENTS ((uint64_t)1 << 24)
#define SKIPPY_FEATURE_NATIVE_MTP_N1 ((uint64_t)1 << 25)
#define SKIPPY_FEATURE_NGRAM_CACHE_DRAFT ((uint64_t)1 << 26)
#define SKIPPY_FEATURE_INKLING_MTP_MM ((uint64_t)1 << 27)
#define SKIPPY_FEATURE_ITERATION_BATCH ((uint64_t)1 << 28)
#define SKIPPY_FEATURE_ACTIVATION_BOUNDARY ((uint64_t)1 << 29)
#define SKIPPY_FEATURE_MODEL_SOURCE ((uint64_t)1 << 30)
#define SKIPPY_FEATURE_RUNTIME_EVENT_REPORTER ((uint64_t)1 << 31)
#define SKIPPY_FEATURE_MODEL_LOAD_EVENTS_V2 ((uint64_t)1 << 32)
#define SKIPPY_FEATURE_KV_EVENTS ((uint64_t)1 << 33)
#define SKIPPY_FEATURE_DEVICE_EVENTS ((uint64_t)1 << 34)
#define SKIPPY_FEATURE_DIAGNOSTIC_EVENTS ((uint64_t)1 << 35)
#define SKIPPY_FEATURE_UNLOAD_EVENTS ((uint64_t)1 << 36)
#define SKIPPY_FEATURE_NON_CHAT_WORKLOADS ((uint64_t)1 << 37)
/* Bits 38 and 39 are named upstream (which is which is not confirmed), so they are known and yet not used here. */
#define SKIPPY_FEATURE_NAMED_BIT_38 ((uint64_t)1 << 38)
#define SKIPPY_FEATURE_NAMED_BIT_39 ((uint64_t)1 << 39)
#define SKIPPY_FEATURE_LAYA_DECISIONS ((uint64_t)1 << 40)

#define SKIPPY_FEATURE_BIT_KNOWN_MAX 40

#endif /* MESH_NATIVE_ABI_SKIPPY_VERSION_H */
