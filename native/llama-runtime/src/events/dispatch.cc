#include "events/dispatch.h"

#include <condition_variable>
#include <mutex>

#include "abi/error.h"

namespace mesh::llama {

namespace {

// How many callbacks of this thread are on its stack: a callback that calls set or clear must not wait for itself.
thread_local int callback_depth = 0;

class GlobalReporter {
 public:
  // Never destroyed: native threads may still report while the process runs its exit handlers.
  static GlobalReporter& Instance() {
    static GlobalReporter& reporter = *new GlobalReporter;
    return reporter;
  }

  void Dispatch(skippy_runtime_event_v1 event) {
    Reporter reporter;
    {
      const std::lock_guard<std::mutex> lock(state_);
      if (reporter_.callback == nullptr) return;
      reporter = reporter_;
      event.sequence = ++sequence_;
      ++running_;
    }
    ++callback_depth;
    reporter.callback(&event, reporter.user_data);
    --callback_depth;
    {
      const std::lock_guard<std::mutex> lock(state_);
      --running_;
    }
    idle_.notify_all();
  }

  // Takes the old reporter away, waits until its last callback returned, and only then installs the new one: the owner
  // of the old one may free its memory as soon as this returns. `lifecycle_` serialises installs and clears.
  void Replace(Reporter next) {
    const std::lock_guard<std::mutex> lifecycle(lifecycle_);
    std::unique_lock<std::mutex> lock(state_);
    reporter_ = {};
    idle_.wait(lock, [this] { return running_ == 0; });
    reporter_ = next;
  }

  // For a clear from inside a callback, which breaks its contract: no further event is delivered, nobody waits.
  void Detach() {
    const std::lock_guard<std::mutex> lock(state_);
    reporter_ = {};
  }

 private:
  std::mutex lifecycle_;
  std::mutex state_;
  std::condition_variable idle_;
  Reporter reporter_;
  uint64_t sequence_ = 0;
  uint64_t running_ = 0;
};

}  // namespace

void Dispatch(skippy_runtime_event_v1 event) noexcept { GlobalReporter::Instance().Dispatch(event); }

}  // namespace mesh::llama

using mesh::llama::CheckedReporter;
using mesh::llama::Failure;
using mesh::llama::GlobalReporter;
using mesh::llama::Guarded;
using mesh::llama::Reporter;

extern "C" int32_t skippy_set_runtime_event_reporter(const skippy_runtime_event_reporter_v1* reporter) noexcept {
  return Guarded(nullptr, [&] {
    const Reporter checked = CheckedReporter(reporter);
    if (checked.callback == nullptr) {
      throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "a process-global reporter needs a callback");
    }
    if (mesh::llama::callback_depth > 0) {
      throw Failure(SKIPPY_STATUS_RUNTIME_ERROR, "a reporter cannot be replaced from inside its callback");
    }
    GlobalReporter::Instance().Replace(checked);
  });
}

extern "C" void skippy_clear_runtime_event_reporter(void) noexcept {
  Guarded(nullptr, [] {
    if (mesh::llama::callback_depth > 0) {
      GlobalReporter::Instance().Detach();
    } else {
      GlobalReporter::Instance().Replace({});
    }
  });
}
