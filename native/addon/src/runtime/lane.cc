#include "runtime/lane.h"

#include <pthread.h>
#include <signal.h>

#include <system_error>
#include <thread>

namespace mesh::runtime {

namespace {

// Signals are Node's: its handlers must not run on a thread of ours, nor on one that a runtime starts from there.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

void Lane::Post(const std::shared_ptr<Operation>& operation) {
  std::string no_thread;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(operation);
    if (has_thread_) {
      posted_.notify_one();
      return;
    }
    try {
      const AllSignalsBlocked blocked;
      std::thread([lane = shared_from_this()] { lane->Work(); }).detach();
      has_thread_ = true;
      return;
    } catch (const std::system_error& error) {
      no_thread = error.what();
      waiting_.pop_back();
    }
  }
  operation->Refuse({Failure::Kind::kNoThread, {}, {}, no_thread});
}

void Lane::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    if (!posted_.wait_for(lock, kLaneIdleMs, [this] { return !waiting_.empty(); })) break;
    std::shared_ptr<Operation> operation = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    operation->Execute();
    // Dropped here and not under the lock: the last reference may free a model.
    operation.reset();
    lock.lock();
  }
  has_thread_ = false;
}

const std::shared_ptr<Lane>& ProcessLane() {
  static const std::shared_ptr<Lane>& lane = *new std::shared_ptr<Lane>(Lane::Create());
  return lane;
}

}  // namespace mesh::runtime
