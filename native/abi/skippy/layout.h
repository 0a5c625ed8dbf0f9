/* Every size and offset of the ABI, pinned in C11 and in C++. Part of skippy.h. */
#ifndef MESH_NATIVE_ABI_SKIPPY_LAYOUT_H
#define MESH_NATIVE_ABI_SKIPPY_LAYOUT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "data.h"
#include "event.h"
#include "version.h"

/* C11 spells it _Static_assert, and <assert.h> gives C the C++ name. */
#define SKIPPY_SIZE(type, bytes) static_assert(sizeof(type) == (bytes), "size of " #type)
#define SKIPPY_OFFSET(type, field, bytes) static_assert(offsetof(type, field) == (bytes), "offset of " #type "." #field)

static_assert(sizeof(void*) == 8 && sizeof(size_t) == 8, "this ABI is defined for 64-bit targets");
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

#endif /* MESH_NATIVE_ABI_SKIPPY_LAYOUT_H */
