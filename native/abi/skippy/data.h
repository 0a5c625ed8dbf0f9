/* Errors, devices and configs: what the functions take and give. Part of skippy.h. */
#ifndef MESH_NATIVE_ABI_SKIPPY_DATA_H
#define MESH_NATIVE_ABI_SKIPPY_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "codes.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct skippy_error {
  int32_t status; /* enum skippy_status */
  const char* message;
} skippy_error;

typedef struct skippy_backend_device {
  uint32_t version;
  const char* name;
  const char* description;
  const char* device_id;
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
  const char* const* resident_tensor_names;
  size_t resident_tensor_name_count;
  bool include_embeddings;
  bool include_output;
  int32_t mtp_source; /* enum skippy_mtp_source */
  const char* selected_backend_device;
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

#if defined(__cplusplus)
} /* extern "C" */
#endif

#endif /* MESH_NATIVE_ABI_SKIPPY_DATA_H */
