#include "runtime/process_exit.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "runtime/operation.h"

namespace mesh::runtime {

namespace {

// What the `exit` event said. Only where the C library does not tell an exit handler the status itself.
std::atomic<int> noted_exit_code{0};

void EndIfStillRunning(int exit_code) {
  if (!RunningOperations::Get().StopAndJoin()) _exit(exit_code);
}

#if defined(__GLIBC__)
void OnProcessExit(int status, void*) { EndIfStillRunning(status); }
#else
void OnProcessExit() { EndIfStillRunning(noted_exit_code.load()); }
#endif

}  // namespace

RunningOperations& RunningOperations::Get() {
  static RunningOperations& operations = *new RunningOperations();
  return operations;
}

bool RunningOperations::Enter(Operation& operation) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (exiting_) return false;
  running_.insert(&operation);
  return true;
}

void RunningOperations::Leave(Operation& operation) {
  const std::lock_guard<std::mutex> lock(mutex_);
  running_.erase(&operation);
  if (running_.empty()) idle_.notify_all();
}

bool RunningOperations::StopAndJoin() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!exiting_) {
    exiting_ = true;
    deadline_ = std::chrono::steady_clock::now() + kExitJoinMsMax;
  }
  while (!running_.empty() && std::chrono::steady_clock::now() < deadline_) {
    for (Operation* const operation : running_) operation->Cancel();
    idle_.wait_for(lock, kExitCancelRetryMs, [this] { return running_.empty(); });
  }
  return running_.empty();
}

bool RunningOperations::exiting() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return exiting_;
}

void GuardProcessExit() {
#if defined(__GLIBC__)
  on_exit(OnProcessExit, nullptr);
#else
  std::atexit(OnProcessExit);
#endif
}

void StopForExit(int exit_code) {
  noted_exit_code.store(exit_code);
  if (!RunningOperations::Get().StopAndJoin()) GuardProcessExit();
}

}  // namespace mesh::runtime
