#include "runtime/reporter.h"

#include "runtime/lane.h"

namespace mesh::runtime {

namespace {

class ClearForEnded final : public Operation {
 public:
  explicit ClearForEnded(std::uint64_t generation) : generation_(generation) {}
  napi_value Result(napi_env) override { return nullptr; }

 private:
  void Run() override {
    if (const AdmittedRuntime* const runtime = Admitted()) Reporter::Get().Clear(runtime->functions, generation_);
  }

  const std::uint64_t generation_;
};

}  // namespace

Reporter& Reporter::Get() {
  static Reporter& reporter = *new Reporter();
  return reporter;
}

Reporter::Installation Reporter::Install(const RuntimeFunctions& functions, const std::string& owner,
                                         const Environment* environment) {
  const auto set = functions.skippy_set_runtime_event_reporter;
  if (set == nullptr || functions.skippy_clear_runtime_event_reporter == nullptr) return {Result::kUnsupported, 0, {}, 0};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (installed_) return {Result::kOwned, 0, owner_, 0};
  }
  // The ring is there before the first callback, and takes events while the setter still runs.
  if (!has_ring_) {
    queue_.Begin(std::make_unique<RecordRing>(kReporterRecords, RecordRing::TerminalCell::kNone));
    has_ring_ = true;
  }
  queue_.Resume();
  static const skippy_runtime_event_reporter_v1& reporter = *new skippy_runtime_event_reporter_v1{
      SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION, sizeof(skippy_runtime_event_reporter_v1), &DeliverToQueue, &queue_};
  const std::int32_t status = set(&reporter);
  if (status != SKIPPY_STATUS_OK) {
    queue_.End();
    return {Result::kRefused, 0, {}, status};
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  installed_ = true;
  generation_ += 1;
  owner_ = owner;
  environment_ = environment;
  return {Result::kInstalled, generation_, owner, status};
}

bool Reporter::Clear(const RuntimeFunctions& functions, std::uint64_t generation) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!installed_ || generation_ != generation) return false;
  }
  // Waits for the callbacks that run; what they bring is still recorded.
  functions.skippy_clear_runtime_event_reporter();
  queue_.End();
  const std::lock_guard<std::mutex> lock(mutex_);
  installed_ = false;
  environment_ = nullptr;
  return true;
}

void Reporter::EnvironmentEnded(const Environment* environment) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (installed_ && environment_ == environment) ProcessLane()->Post(std::make_shared<ClearForEnded>(generation_));
}

std::optional<std::string> Reporter::owner() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!installed_) return std::nullopt;
  return owner_;
}

bool Reporter::IsNewest(std::uint64_t generation) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return generation_ == generation;
}

}  // namespace mesh::runtime
