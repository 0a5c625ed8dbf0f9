#pragma once

#include <node_api.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "runtime/failure.h"

namespace mesh::runtime {

class Environment;

// One native call: made by JavaScript, run on a lane, settled on the thread it came from. It owns everything the call needs
// until the call has returned, so that neither a collected object nor a terminated worker can pull anything away.
class Operation : public std::enable_shared_from_this<Operation> {
 public:
  Operation() = default;
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // Runs the call and hands it back to its environment, if that still lives. On a lane.
  void Execute() noexcept;
  // As a call that failed before it began.
  void Refuse(Failure failure) noexcept;
  // Asks the call to stop. Never waits for it. Any thread, any number of times.
  void Cancel() noexcept;

  // What the promise is resolved with. On the thread of the environment; uses no call that a terminating environment
  // turns into an abort.
  virtual napi_value Result(napi_env env) = 0;

  void SetEnvironment(std::shared_ptr<Environment> environment) { environment_ = std::move(environment); }
  void SetDeferred(napi_deferred deferred) { deferred_ = deferred; }
  napi_deferred deferred() const { return deferred_; }

 protected:
  // The work. May throw: what escapes from a runtime across its C ABI ends here, as a failure.
  virtual void Run() = 0;
  // Tells the runtime to stop. Called only while Run is running, on another thread, so everything Run uses is alive.
  virtual void Interrupt() noexcept {}

  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }
  const std::optional<Failure>& failure() const { return failure_; }
  void Fail(Failure failure) { failure_ = std::move(failure); }

 private:
  void Complete() noexcept;

  std::atomic<bool> cancelled_{false};
  std::mutex running_mutex_;
  bool running_ = false;
  std::optional<Failure> failure_;
  std::shared_ptr<Environment> environment_;
  // Touched by the environment's thread alone.
  napi_deferred deferred_ = nullptr;
};

}  // namespace mesh::runtime
