#include "runtime/layouts.h"

#include <cstddef>

#include "runtime/js_value.h"
#include "runtime/record.h"
#include "skippy.h"

namespace mesh::runtime {

namespace {

struct Field {
  const char* name;
  std::size_t offset;
};

template <std::size_t Count>
napi_value Layout(napi_env env, std::size_t size, const Field (&fields)[Count]) {
  JsObject layout(env);
  layout.Set("size", JsNumber(env, static_cast<double>(size)));
  for (const Field& field : fields) layout.Set(field.name, JsNumber(env, static_cast<double>(field.offset)));
  return layout.value();
}

napi_value RecordLayout(napi_env env) {
  using S = EventRecord;
  static const Field kFields[] = {
      {"abiVersion", offsetof(S, abi_version)},
      {"structSize", offsetof(S, struct_size)},
      {"category", offsetof(S, category)},
      {"kind", offsetof(S, kind)},
      {"emitter", offsetof(S, emitter)},
      {"reserved0", offsetof(S, reserved0)},
      {"sequence", offsetof(S, sequence)},
      {"timestampMonoNs", offsetof(S, timestamp_mono_ns)},
      {"modelId", offsetof(S, model_id)},
      {"stageId", offsetof(S, stage_id)},
      {"sessionId", offsetof(S, session_id)},
      {"progressCurrent", offsetof(S, progress_current)},
      {"progressTotal", offsetof(S, progress_total)},
      {"progressUnit", offsetof(S, progress_unit)},
      {"failureCode", offsetof(S, failure_code)},
      {"status", offsetof(S, status)},
      {"reserved1", offsetof(S, reserved1)},
      {"numericSummary", offsetof(S, numeric_summary)},
      {"numericSummaryPresent", offsetof(S, numeric_summary_present)},
      {"detailTruncated", offsetof(S, detail_truncated)},
      {"detailLength", offsetof(S, detail_len)},
      {"detail", offsetof(S, detail)},
  };
  return Layout(env, sizeof(S), kFields);
}

napi_value EventLayout(napi_env env) {
  using S = skippy_runtime_event_v1;
  static const Field kFields[] = {
      {"abiVersion", offsetof(S, abi_version)},
      {"structSize", offsetof(S, struct_size)},
      {"category", offsetof(S, category)},
      {"kind", offsetof(S, kind)},
      {"emitter", offsetof(S, emitter)},
      {"reserved0", offsetof(S, reserved0)},
      {"sequence", offsetof(S, sequence)},
      {"timestampMonoNs", offsetof(S, timestamp_mono_ns)},
      {"modelId", offsetof(S, model_id)},
      {"stageId", offsetof(S, stage_id)},
      {"sessionId", offsetof(S, session_id)},
      {"progressCurrent", offsetof(S, progress_current)},
      {"progressTotal", offsetof(S, progress_total)},
      {"progressUnit", offsetof(S, progress_unit)},
      {"failureCode", offsetof(S, failure_code)},
      {"status", offsetof(S, status)},
      {"reserved1", offsetof(S, reserved1)},
      {"detailPointer", offsetof(S, detail_ptr)},
      {"detailLength", offsetof(S, detail_len)},
      {"numericSummary0", offsetof(S, numeric_summary_0)},
      {"numericSummary1", offsetof(S, numeric_summary_1)},
      {"numericSummary2", offsetof(S, numeric_summary_2)},
      {"numericSummary3", offsetof(S, numeric_summary_3)},
  };
  return Layout(env, sizeof(S), kFields);
}

napi_value ReporterLayout(napi_env env) {
  using S = skippy_runtime_event_reporter_v1;
  static const Field kFields[] = {
      {"abiVersion", offsetof(S, abi_version)},
      {"structSize", offsetof(S, struct_size)},
      {"callback", offsetof(S, callback)},
      {"userData", offsetof(S, user_data)},
  };
  return Layout(env, sizeof(S), kFields);
}

napi_value ErrorLayout(napi_env env) {
  using S = skippy_error;
  static const Field kFields[] = {{"status", offsetof(S, status)}, {"message", offsetof(S, message)}};
  return Layout(env, sizeof(S), kFields);
}

napi_value DeviceLayout(napi_env env) {
  using S = skippy_backend_device;
  static const Field kFields[] = {
      {"version", offsetof(S, version)},         {"name", offsetof(S, name)},
      {"description", offsetof(S, description)}, {"deviceId", offsetof(S, device_id)},
      {"memoryFree", offsetof(S, memory_free)},  {"memoryTotal", offsetof(S, memory_total)},
      {"deviceType", offsetof(S, device_type)},  {"capabilities", offsetof(S, caps)},
  };
  return Layout(env, sizeof(S), kFields);
}

napi_value ConfigLayout(napi_env env) {
  using S = skippy_runtime_config;
  static const Field kFields[] = {
      {"stageIndex", offsetof(S, stage_index)},
      {"layerStart", offsetof(S, layer_start)},
      {"layerEnd", offsetof(S, layer_end)},
      {"contextSize", offsetof(S, ctx_size)},
      {"laneCount", offsetof(S, lane_count)},
      {"batchSize", offsetof(S, n_batch)},
      {"microBatchSize", offsetof(S, n_ubatch)},
      {"threads", offsetof(S, n_threads)},
      {"batchThreads", offsetof(S, n_threads_batch)},
      {"gpuLayers", offsetof(S, n_gpu_layers)},
      {"hasMmapOverride", offsetof(S, has_mmap_override)},
      {"useMmap", offsetof(S, use_mmap)},
      {"useMlock", offsetof(S, use_mlock)},
      {"cacheTypeK", offsetof(S, cache_type_k)},
      {"cacheTypeV", offsetof(S, cache_type_v)},
      {"flashAttention", offsetof(S, flash_attn_type)},
      {"loadMode", offsetof(S, load_mode)},
      {"disableRepack", offsetof(S, disable_repack)},
      {"useMmapPrefetch", offsetof(S, use_mmap_prefetch)},
      {"useMmapBuffer", offsetof(S, use_mmap_buffer)},
      {"filterTensorsOnLoad", offsetof(S, filter_tensors_on_load)},
      {"residentTensorNames", offsetof(S, resident_tensor_names)},
      {"residentTensorNameCount", offsetof(S, resident_tensor_name_count)},
      {"includeEmbeddings", offsetof(S, include_embeddings)},
      {"includeOutput", offsetof(S, include_output)},
      {"mtpSource", offsetof(S, mtp_source)},
      {"selectedBackendDevice", offsetof(S, selected_backend_device)},
      {"glmDsaPolicyProfile", offsetof(S, glm_dsa_policy_profile)},
      {"flags", offsetof(S, flags)},
      {"shortPrefillMaxTokens", offsetof(S, short_prefill_max_tokens)},
      {"directSparseDecodeMaxTopK", offsetof(S, direct_sparse_decode_max_top_k)},
      {"denseSparseMaskMaxBytes", offsetof(S, dense_sparse_mask_max_bytes)},
      {"compactFlashMinKv", offsetof(S, compact_flash_min_kv)},
      {"kvOffload", offsetof(S, kv_offload)},
      {"kvUnified", offsetof(S, kv_unified)},
      {"swaFull", offsetof(S, swa_full)},
      {"opOffload", offsetof(S, op_offload)},
      {"noHostBuffer", offsetof(S, no_host_buffer)},
      {"checkTensors", offsetof(S, check_tensors)},
      {"useDirectIo", offsetof(S, use_direct_io)},
      {"hasMainGpuOverride", offsetof(S, has_main_gpu_override)},
      {"mainGpu", offsetof(S, main_gpu)},
      {"splitMode", offsetof(S, split_mode)},
  };
  return Layout(env, sizeof(S), kFields);
}

napi_value SamplingLayout(napi_env env) {
  using S = skippy_sampling_config;
  static const Field kFields[] = {
      {"version", offsetof(S, version)},
      {"flags", offsetof(S, flags)},
      {"seed", offsetof(S, seed)},
      {"topK", offsetof(S, top_k)},
      {"penaltyLastN", offsetof(S, penalty_last_n)},
      {"temperature", offsetof(S, temperature)},
      {"topP", offsetof(S, top_p)},
      {"presencePenalty", offsetof(S, presence_penalty)},
      {"frequencyPenalty", offsetof(S, frequency_penalty)},
      {"repeatPenalty", offsetof(S, repeat_penalty)},
      {"logitBiasCount", offsetof(S, logit_bias_count)},
      {"minP", offsetof(S, min_p)},
      {"logitBias", offsetof(S, logit_bias)},
  };
  return Layout(env, sizeof(S), kFields);
}

}  // namespace

napi_value Layouts(napi_env env, napi_callback_info) {
  JsObject layouts(env);
  layouts.Set("record", RecordLayout(env)).Set("event", EventLayout(env)).Set("reporter", ReporterLayout(env));
  layouts.Set("error", ErrorLayout(env)).Set("device", DeviceLayout(env));
  layouts.Set("config", ConfigLayout(env)).Set("sampling", SamplingLayout(env));
  return layouts.value();
}

}  // namespace mesh::runtime
