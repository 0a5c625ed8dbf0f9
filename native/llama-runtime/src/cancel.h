// The cancel extension (mesh_ext.h): flags that a running call polls.
#pragma once

#include <atomic>

namespace mesh::llama {

// Registers an open under the user_data of its reporter for as long as it lives. Opens without a key cannot be cancelled.
class OpenCancellation {
 public:
  explicit OpenCancellation(const void* key);
  ~OpenCancellation();
  OpenCancellation(const OpenCancellation&) = delete;
  OpenCancellation& operator=(const OpenCancellation&) = delete;

  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }
  void Request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  const void* key() const noexcept { return key_; }

 private:
  const void* key_;
  std::atomic<bool> requested_{false};
};

// The state of one session's running call. A request made while nothing runs has no effect on later calls.
class CallCancellation {
 public:
  void Begin() noexcept { state_.store(RUNNING); }
  void End() noexcept { state_.store(IDLE); }
  bool requested() const noexcept { return state_.load(std::memory_order_relaxed) == REQUESTED; }
  // False when nothing runs.
  bool Request() noexcept {
    int expected = RUNNING;
    return state_.compare_exchange_strong(expected, REQUESTED) || expected == REQUESTED;
  }

 private:
  enum : int { IDLE, RUNNING, REQUESTED };
  std::atomic<int> state_{IDLE};
};

}  // namespace mesh::llama
