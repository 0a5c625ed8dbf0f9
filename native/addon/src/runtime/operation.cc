#include "runtime/operation.h"

#include <exception>

#include "runtime/environment.h"
#include "runtime/process_exit.h"

namespace mesh::runtime {

void Operation::Execute() noexcept {
  if (!RunningOperations::Get().Enter(*this)) {
    Refuse({Failure::Kind::kExiting, {}, {}, {}});
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(running_mutex_);
    running_ = true;
  }
  try {
    Run();
  } catch (const std::exception& exception) {
    Fail({Failure::Kind::kThrew, "the native runtime", {}, exception.what()});
  } catch (...) {
    Fail({Failure::Kind::kThrew, "the native runtime", {}, "an exception that is no std::exception"});
  }
  {
    const std::lock_guard<std::mutex> lock(running_mutex_);
    running_ = false;
  }
  RunningOperations::Get().Leave(*this);
  Complete();
}

void Operation::Refuse(Failure failure) noexcept {
  Fail(std::move(failure));
  Complete();
}

void Operation::Cancel() noexcept {
  cancelled_.store(true, std::memory_order_release);
  const std::lock_guard<std::mutex> lock(running_mutex_);
  if (running_) Interrupt();
}

void Operation::Complete() noexcept {
  if (environment_ != nullptr) environment_->Complete(shared_from_this());
}

}  // namespace mesh::runtime
