// The four open functions are one: check, load, make a context, and tell the reporter at every step.

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include <vector>

#include "backend.h"
#include "cancel.h"
#include "events/families.h"
#include "events/open_scope.h"
#include "log.h"
#include "model.h"

namespace mesh::llama {

namespace {

struct OpenRequest {
  const char* const* paths;
  std::size_t count;
  const skippy_runtime_config* config;
  // A single path may be the first part of a split model: llama.cpp finds the other parts by their names.
  bool parts;
};

// What llama.cpp's progress callback needs.
struct LoadWatch {
  OpenScope& scope;
  const OpenCancellation& cancellation;
};

std::vector<std::string> CheckedPaths(const OpenRequest& request) {
  if (request.paths == nullptr || request.count == 0) {
    throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "no model file was given");
  }
  std::vector<std::string> paths;
  for (std::size_t index = 0; index < request.count; ++index) {
    const char* path = request.paths[index];
    if (path == nullptr || *path == '\0') {
      throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the path of a model file is null or empty");
    }
    paths.emplace_back(path);
  }
  return paths;
}

// llama.cpp says only that it failed; that a file cannot be read at all deserves the system's own reason.
void RequireReadable(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
      const int error = errno;
      const std::size_t slash = path.find_last_of('/');
      throw Failure(SKIPPY_STATUS_IO_ERROR, "failed to open a model file",
                    path.substr(slash == std::string::npos ? 0 : slash + 1) + ": " + std::strerror(error));
    }
    ::close(descriptor);
  }
}

// "CPU" means: no device but the processor. Returns the list for llama.cpp, ended by null.
std::vector<ggml_backend_dev_t> SelectDevice(Options& options) {
  if (options.device.empty()) {
    if (options.model.n_gpu_layers > 0 && !HasGpu()) {
      EmitDevice(SKIPPY_EVENT_KIND_DEVICE_FALLBACK_ACTIVATED, static_cast<uint64_t>(options.model.n_gpu_layers),
                 "no GPU device; layers stay on the CPU");
    }
    return {};
  }
  if (options.device == "CPU" || options.device == "CPU0") {
    options.model.main_gpu = -1;
    options.model.n_gpu_layers = 0;
    EmitDevice(SKIPPY_EVENT_KIND_DEVICE_BACKEND_INITIALIZED, 1, options.device);
    EmitDevice(SKIPPY_EVENT_KIND_DEVICE_READY, 0, options.device);
    return {nullptr};
  }
  ggml_backend_dev_t device = DeviceByName(options.device);
  EmitDevice(SKIPPY_EVENT_KIND_DEVICE_BACKEND_INITIALIZED, 1, options.device);
  EmitDevice(SKIPPY_EVENT_KIND_DEVICE_READY, 0, options.device);
  return {device, nullptr};
}

std::string DeviceNameOf(const Options& options) {
  if (!options.device.empty()) return options.device;
  for (const auto type : {GGML_BACKEND_DEVICE_TYPE_GPU, GGML_BACKEND_DEVICE_TYPE_IGPU, GGML_BACKEND_DEVICE_TYPE_CPU}) {
    if (type != GGML_BACKEND_DEVICE_TYPE_CPU && options.model.n_gpu_layers == 0) continue;
    if (ggml_backend_dev_t device = ggml_backend_dev_by_type(type)) return ggml_backend_dev_name(device);
  }
  return {};
}

void ThrowIfCancelled(const OpenCancellation& cancellation) {
  if (cancellation.requested()) throw Failure::Cancelled("the model open was cancelled");
}

ModelHandle Load(const OpenRequest& request, const std::vector<std::string>& paths, Options& options, LoadWatch watch) {
  std::vector<ggml_backend_dev_t> devices = SelectDevice(options);
  if (!devices.empty()) options.model.devices = devices.data();
  options.model.progress_callback = [](float fraction, void* data) {
    auto* load = static_cast<LoadWatch*>(data);
    load->scope.Progress(fraction);
    return !load->cancellation.requested();
  };
  options.model.progress_callback_user_data = &watch;

  const LogCapture log(paths);
  std::vector<const char*> names;
  names.reserve(paths.size());
  for (const std::string& path : paths) names.push_back(path.c_str());
  ModelHandle model(request.parts ? llama_model_load_from_splits(names.data(), names.size(), options.model)
                                  : llama_model_load_from_file(names.front(), options.model));
  // It points at this call's own, which is gone after it.
  options.model.progress_callback_user_data = nullptr;
  ThrowIfCancelled(watch.cancellation);
  if (model == nullptr) {
    if (log.OutOfMemory()) EmitDevice(SKIPPY_EVENT_KIND_DEVICE_OUT_OF_MEMORY, 0, DeviceNameOf(options));
    throw Failure(SKIPPY_STATUS_MODEL_ERROR,
                  request.parts ? "failed to load llama model from GGUF parts" : "failed to load llama model", log.Reason());
  }
  return model;
}

void RequireWholeModel(const llama_model* model, const Options& options) {
  if (options.layer_end > 0 && options.layer_end != llama_model_n_layer(model)) {
    throw Failure(SKIPPY_STATUS_UNSUPPORTED, "layer range: this runtime opens whole models only");
  }
  if (llama_model_has_encoder(model) || !llama_model_has_decoder(model)) {
    throw Failure(SKIPPY_STATUS_UNSUPPORTED, "this runtime runs models that only decode");
  }
}

std::unique_ptr<skippy_model> OpenModel(const OpenRequest& request, Options options, OpenScope& scope,
                                        const OpenCancellation& cancellation) {
  const std::vector<std::string> paths = CheckedPaths(request);
  EnsureBackends();
  RequireReadable(paths);

  auto model = std::make_unique<skippy_model>();
  ModelState& state = *model->state;
  state.model = Load(request, paths, options, {scope, cancellation});
  state.context_params = options.context;
  RequireWholeModel(state.model.get(), options);
  state.first_context = NewContext(state.model.get(), options.context);
  ThrowIfCancelled(cancellation);

  const std::string device = DeviceNameOf(options);
  EmitDevice(SKIPPY_EVENT_KIND_DEVICE_RESOURCE_ALLOCATED, llama_model_size(state.model.get()), device);
  // No session owns this cache yet, so its session id is 0; the first session takes it over.
  EmitKv(SKIPPY_EVENT_KIND_KV_INITIALIZED, 0, 0, llama_n_ctx(state.first_context.get()));
  scope.SetModel(model->id());
  if (!device.empty()) scope.DeviceSelected(device);
  scope.PhaseChanged(static_cast<uint64_t>(llama_model_n_layer(state.model.get())));
  scope.TokenizerReady(static_cast<uint64_t>(llama_vocab_n_tokens(llama_model_get_vocab(state.model.get()))));
  return model;
}

int32_t Open(const OpenRequest& request, const skippy_runtime_event_reporter_v1* reporter, skippy_model** out_model,
             skippy_error** out_error) noexcept {
  return Guarded(out_error, [&] {
    // A refused reporter is answered before anything else, and nobody is told but the caller.
    const Reporter checked = CheckedReporter(reporter);
    const OpenCancellation cancellation(checked.user_data);
    const int32_t stage = request.config == nullptr ? 0 : request.config->stage_index;
    OpenScope scope(checked, stage > 0 ? static_cast<uint64_t>(stage) : 0);
    scope.Started(request.paths == nullptr || request.count == 0 ? nullptr : request.paths[0]);
    try {
      if (out_model == nullptr) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the model has no place to go");
      *out_model = nullptr;
      *out_model = OpenModel(request, OptionsOf(request.config), scope, cancellation).release();
      scope.Finished();
    } catch (...) {
      scope.Failed(CurrentFailure());
      throw;
    }
  });
}

}  // namespace

ContextHandle NewContext(llama_model* model, const llama_context_params& params) {
  const LogCapture log;
  ContextHandle context(llama_init_from_model(model, params));
  if (context == nullptr) {
    if (log.OutOfMemory()) EmitDevice(SKIPPY_EVENT_KIND_DEVICE_OUT_OF_MEMORY, 0, "execution context");
    throw Failure(SKIPPY_STATUS_RUNTIME_ERROR, "failed to create llama context", log.Reason());
  }
  return context;
}

}  // namespace mesh::llama

using mesh::llama::Open;

extern "C" int32_t skippy_model_open_with_events(const char* path, const skippy_runtime_config* config,
                                                 const skippy_runtime_event_reporter_v1* reporter, skippy_model** out_model,
                                                 skippy_error** out_error) noexcept {
  return Open({&path, 1, config, false}, reporter, out_model, out_error);
}

extern "C" int32_t skippy_model_open_from_parts_with_events(const char* const* paths, size_t path_count,
                                                            const skippy_runtime_config* config,
                                                            const skippy_runtime_event_reporter_v1* reporter,
                                                            skippy_model** out_model, skippy_error** out_error) noexcept {
  return Open({paths, path_count, config, true}, reporter, out_model, out_error);
}

extern "C" int32_t skippy_model_open(const char* path, const skippy_runtime_config* config, skippy_model** out_model,
                                     skippy_error** out_error) noexcept {
  return Open({&path, 1, config, false}, nullptr, out_model, out_error);
}

extern "C" int32_t skippy_model_open_from_parts(const char* const* paths, size_t path_count,
                                                const skippy_runtime_config* config, skippy_model** out_model,
                                                skippy_error** out_error) noexcept {
  return Open({paths, path_count, config, true}, nullptr, out_model, out_error);
}
