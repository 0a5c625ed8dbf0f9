#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "runtime/operation.h"

namespace mesh::runtime {

// How long a lane keeps its thread without work.
inline constexpr std::chrono::milliseconds kLaneIdleMs{1000};

// Runs operations one after another on a thread of its own, never in the thread pool of libuv, whose few threads serve the
// file system and the resolver. The thread begins with work and ends some time after it.
class Lane : public std::enable_shared_from_this<Lane> {
 public:
  static std::shared_ptr<Lane> Create() { return std::make_shared<Lane>(); }

  // Runs the operation after all earlier ones. When the system gives no thread, the operation is refused.
  void Post(const std::shared_ptr<Operation>& operation);

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::shared_ptr<Operation>> waiting_;
  bool has_thread_ = false;
};

// The lane of what belongs to the process: loading the runtime, its devices, its reporter. Never destroyed.
const std::shared_ptr<Lane>& ProcessLane();

}  // namespace mesh::runtime
