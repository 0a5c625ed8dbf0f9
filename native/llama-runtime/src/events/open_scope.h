// The event stream of one model open: from STARTED to FINISHED or FAILED_HANDLED, all delivered before the open returns.
#pragma once

#include <mutex>
#include <string_view>

#include "abi/error.h"
#include "events/event.h"

namespace mesh::llama {

// Lives on the stack of the open call. Without a reporter every method is silent, except those that then speak to the
// process-global reporter (spec 2.1, steps 4 to 6).
class OpenScope {
 public:
  OpenScope(Reporter reporter, uint64_t stage_id);
  OpenScope(const OpenScope&) = delete;
  OpenScope& operator=(const OpenScope&) = delete;

  // `path` is what the caller passed, an absolute path as a rule; the host decides who may see it.
  void Started(const char* path) noexcept;
  // `fraction` is llama.cpp's progress, 0 to 1. Sent per mille and only when it rose, so at most 1000 events.
  void Progress(float fraction) noexcept;
  void DeviceSelected(std::string_view name) noexcept;
  void PhaseChanged(uint64_t layers) noexcept;
  void TokenizerReady(uint64_t tokens) noexcept;
  void Finished() noexcept;
  void Failed(const Failure& failure) noexcept;

  // From here on the events carry the model's id, which is 0 before the model exists.
  void SetModel(uint64_t model_id) noexcept;

 private:
  void Deliver(skippy_runtime_event_v1 event) noexcept;
  void ModelLoad(uint32_t kind, uint64_t n0, std::string_view detail) noexcept;

  const Reporter reporter_;
  const uint64_t stage_id_;
  std::mutex mutex_;
  uint64_t model_id_ = 0;
  uint64_t sequence_ = 0;
  uint64_t progress_ = 0;
};

}  // namespace mesh::llama
