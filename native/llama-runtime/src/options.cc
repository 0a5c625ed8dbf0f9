#include "options.h"

#include <thread>

#include "abi/error.h"

namespace mesh::llama {

namespace {

// What a caller writes where 0 would be a choice: the runtime decides. For n_gpu_layers llama.cpp reads it so itself.
constexpr int32_t UNDECIDED = -1;

void Refuse(bool refused, const char* summary) {
  if (refused) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, summary);
}

void Unsupported(bool asked, const char* summary) {
  if (asked) throw Failure(SKIPPY_STATUS_UNSUPPORTED, summary);
}

// What belongs to split models and to patches that stock llama.cpp does not have.
void RefuseSlices(const skippy_runtime_config& config) {
  Unsupported(config.layer_start > 0, "layer range: this runtime opens whole models only");
  Unsupported(config.load_mode != SKIPPY_LOAD_MODE_RUNTIME_SLICE,
              "load mode: this runtime opens GGUF files of whole models only");
  Unsupported(config.resident_tensor_name_count > 0 || config.filter_tensors_on_load,
              "resident tensors: this runtime loads every tensor of a model");
  Unsupported(config.mtp_source != SKIPPY_MTP_SOURCE_DISABLED, "mtp source: this runtime has no MTP drafting");
}

llama_load_mode LoadModeOf(const skippy_runtime_config& config) {
  const bool mmap = !config.has_mmap_override || config.use_mmap;
  Refuse(config.use_direct_io && config.has_mmap_override && config.use_mmap,
         "use_direct_io and use_mmap exclude each other");
  if (config.use_direct_io) return LLAMA_LOAD_MODE_DIRECT_IO;
  if (config.use_mlock) return mmap ? LLAMA_LOAD_MODE_MMAP_MLOCK : LLAMA_LOAD_MODE_MLOCK;
  return mmap ? LLAMA_LOAD_MODE_MMAP : LLAMA_LOAD_MODE_NONE;
}

// The types a KV cache may have. Another one would end in an assertion of ggml, so in an abort of the host.
ggml_type CacheTypeOf(int32_t value, ggml_type automatic) {
  switch (value) {
    case UNDECIDED:
      return automatic;
    case GGML_TYPE_F32:
    case GGML_TYPE_F16:
    case GGML_TYPE_BF16:
    case GGML_TYPE_Q8_0:
    case GGML_TYPE_Q4_0:
    case GGML_TYPE_Q4_1:
    case GGML_TYPE_IQ4_NL:
    case GGML_TYPE_Q5_0:
    case GGML_TYPE_Q5_1:
      return static_cast<ggml_type>(value);
    default:
      throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "cache_type_k or cache_type_v is no type a KV cache can have");
  }
}

bool TriState(int32_t value, bool automatic) {
  Refuse(value < SKIPPY_TRI_STATE_AUTO || value > SKIPPY_TRI_STATE_ON, "a tri-state option is not -1, 0 or 1");
  return value == SKIPPY_TRI_STATE_AUTO ? automatic : value == SKIPPY_TRI_STATE_ON;
}

void ApplyModel(const skippy_runtime_config& config, llama_model_params& params) {
  Refuse(config.split_mode < UNDECIDED || config.split_mode > LLAMA_SPLIT_MODE_TENSOR, "split_mode is not -1, 0, 1, 2 or 3");
  params.load_mode = LoadModeOf(config);
  params.n_gpu_layers = config.n_gpu_layers;
  if (config.split_mode != UNDECIDED) params.split_mode = static_cast<llama_split_mode>(config.split_mode);
  if (config.has_main_gpu_override) params.main_gpu = config.main_gpu;
  params.check_tensors = config.check_tensors;
  params.use_extra_bufts = !config.disable_repack;
  params.no_host = config.no_host_buffer;
}

void ApplyContext(const skippy_runtime_config& config, llama_context_params& params) {
  Refuse(config.ctx_size < 0, "ctx_size is negative");
  Refuse(config.n_batch < 0 || config.n_ubatch < 0, "n_batch or n_ubatch is negative");
  Refuse(config.flash_attn_type < LLAMA_FLASH_ATTN_TYPE_AUTO || config.flash_attn_type > LLAMA_FLASH_ATTN_TYPE_ENABLED,
         "flash_attn_type is not -1, 0 or 1");
  params.n_ctx = static_cast<uint32_t>(config.ctx_size);
  if (config.n_batch > 0) params.n_batch = static_cast<uint32_t>(config.n_batch);
  if (config.n_ubatch > 0) params.n_ubatch = static_cast<uint32_t>(config.n_ubatch);
  if (config.n_threads > 0) params.n_threads = config.n_threads;
  if (config.n_threads_batch > 0) params.n_threads_batch = config.n_threads_batch;
  params.type_k = CacheTypeOf(config.cache_type_k, params.type_k);
  params.type_v = CacheTypeOf(config.cache_type_v, params.type_v);
  params.flash_attn_type = static_cast<llama_flash_attn_type>(config.flash_attn_type);
  params.offload_kqv = TriState(config.kv_offload, params.offload_kqv);
  params.kv_unified = TriState(config.kv_unified, params.kv_unified);
  params.swa_full = TriState(config.swa_full, params.swa_full);
  params.op_offload = TriState(config.op_offload, params.op_offload);
}

}  // namespace

int32_t DefaultThreads() {
  const auto cores = static_cast<int32_t>(std::thread::hardware_concurrency());
  return cores > 1 ? cores - 1 : 1;
}

Options OptionsOf(const skippy_runtime_config* config) {
  Options options;
  options.model = llama_model_default_params();
  options.context = llama_context_default_params();
  options.model.load_mode = LLAMA_LOAD_MODE_MMAP;
  options.context.n_ctx = 0;  // as the model says
  options.context.n_threads = DefaultThreads();
  options.context.n_threads_batch = DefaultThreads();
  options.context.no_perf = true;
  if (config == nullptr) return options;

  RefuseSlices(*config);
  ApplyModel(*config, options.model);
  ApplyContext(*config, options.context);
  options.stage_id = config->stage_index >= 0 ? static_cast<uint64_t>(config->stage_index) : 0;
  options.layer_end = config->layer_end;
  if (config->selected_backend_device != nullptr) options.device = config->selected_backend_device;
  return options;
}

}  // namespace mesh::llama
