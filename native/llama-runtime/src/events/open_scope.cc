#include "events/open_scope.h"

#include <algorithm>
#include <cmath>

#include "events/families.h"

namespace mesh::llama {

namespace {
constexpr uint64_t PROGRESS_STEPS = 1000;
}

OpenScope::OpenScope(Reporter reporter, uint64_t stage_id) : reporter_(reporter), stage_id_(stage_id) {}

void OpenScope::SetModel(uint64_t model_id) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  model_id_ = model_id;
}

// The event gets its identity and number under the lock and is delivered outside it: the callback is foreign code.
void OpenScope::Deliver(skippy_runtime_event_v1 event) noexcept {
  if (reporter_.callback == nullptr) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    event.sequence = ++sequence_;
    event.model_id = model_id_;
    event.stage_id = stage_id_;
  }
  if (event.emitter == SKIPPY_EVENT_EMITTER_UNKNOWN) event.emitter = SKIPPY_EVENT_EMITTER_OPEN_THREAD;
  reporter_.callback(&event, reporter_.user_data);
}

void OpenScope::Started(const char* path) noexcept {
  const std::string_view detail = path == nullptr ? std::string_view() : std::string_view(path);
  Deliver(MakeEvent(SKIPPY_EVENT_CATEGORY_MODEL_OPEN, SKIPPY_EVENT_KIND_MODEL_OPEN_STARTED, detail));
}

void OpenScope::Progress(float fraction) noexcept {
  if (std::isnan(fraction)) return;
  const auto step = static_cast<uint64_t>(std::lround(std::clamp(fraction, 0.0F, 1.0F) * PROGRESS_STEPS));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (step <= progress_) return;
    progress_ = step;
  }
  skippy_runtime_event_v1 event = MakeEvent(SKIPPY_EVENT_CATEGORY_MODEL_OPEN, SKIPPY_EVENT_KIND_MODEL_OPEN_PROGRESS, {});
  // A fixed label of the ABI, not an observation: llama.cpp calls the progress callback on the thread that opens.
  event.emitter = SKIPPY_EVENT_EMITTER_WORKER_THREAD;
  event.progress_current = step;
  event.progress_total = PROGRESS_STEPS;
  event.progress_unit = SKIPPY_EVENT_PROGRESS_UNIT_STEPS;
  Deliver(event);
}

void OpenScope::DeviceSelected(std::string_view name) noexcept {
  Deliver(MakeEvent(SKIPPY_EVENT_CATEGORY_BACKEND, SKIPPY_EVENT_KIND_BACKEND_DEVICE_SELECTED, name));
}

void OpenScope::ModelLoad(uint32_t kind, uint64_t n0, std::string_view detail) noexcept {
  if (reporter_.callback == nullptr) {
    EmitModelLoad(kind, model_id_, n0, 0, detail);
    return;
  }
  skippy_runtime_event_v1 event = MakeEvent(SKIPPY_EVENT_CATEGORY_MODEL_OPEN, kind, detail);
  event.numeric_summary_0 = n0;
  Deliver(event);
}

void OpenScope::PhaseChanged(uint64_t layers) noexcept {
  ModelLoad(SKIPPY_EVENT_KIND_MODEL_LOAD_PHASE_CHANGED, layers, "execution context ready");
}

void OpenScope::TokenizerReady(uint64_t tokens) noexcept {
  ModelLoad(SKIPPY_EVENT_KIND_MODEL_LOAD_TOKENIZER_READY, tokens, "tokenizer ready");
}

void OpenScope::Finished() noexcept {
  Deliver(MakeEvent(SKIPPY_EVENT_CATEGORY_MODEL_OPEN, SKIPPY_EVENT_KIND_MODEL_OPEN_FINISHED, {}));
}

void OpenScope::Failed(const Failure& failure) noexcept {
  skippy_runtime_event_v1 event =
      MakeEvent(SKIPPY_EVENT_CATEGORY_MODEL_OPEN, SKIPPY_EVENT_KIND_MODEL_OPEN_FAILED_HANDLED, failure.summary());
  event.status = failure.status();
  event.failure_code = failure.failure_code();
  Deliver(event);
}

}  // namespace mesh::llama
