#include "runtime/event_queue.h"

#include <deque>
#include <mutex>
#include <utility>

namespace mesh::runtime {

namespace {

// So many other queues are used before one is used again.
constexpr std::size_t kQueueQuarantineMin = 1024;

struct EventQueuePool {
  std::mutex mutex;
  std::deque<EventQueue*> ended;

  // Never destroyed: a callback may come while the process ends.
  static EventQueuePool& Get() {
    static EventQueuePool& pool = *new EventQueuePool();
    return pool;
  }

  EventQueue* Take() {
    const std::lock_guard<std::mutex> lock(mutex);
    if (ended.size() <= kQueueQuarantineMin) return new EventQueue();
    EventQueue* const oldest = ended.front();
    ended.pop_front();
    if (oldest->TryFreeRing()) return oldest;
    // A callback has been inside since its open returned. That queue is lost to a defective runtime, for good.
    return new EventQueue();
  }

  void Give(EventQueue* queue) {
    const std::lock_guard<std::mutex> lock(mutex);
    ended.push_back(queue);
  }
};

Counter CounterOf(Rejection rejection) noexcept {
  switch (rejection) {
    case Rejection::kNull:
      return Counter::kRejectedNull;
    case Rejection::kShortStruct:
      return Counter::kRejectedShortStruct;
    case Rejection::kAbiVersion:
      return Counter::kRejectedAbiVersion;
    case Rejection::kOversizedDetail:
    case Rejection::kNone:
      break;
  }
  return Counter::kRejectedOversizedDetail;
}

}  // namespace

void EventQueue::Begin(std::unique_ptr<RecordRing> ring) noexcept {
  ring_ = std::move(ring);
  for (auto& count : counts_) count.store(0, std::memory_order_relaxed);
  open_.store(true, std::memory_order_seq_cst);
}

void EventQueue::Resume() noexcept { open_.store(true, std::memory_order_seq_cst); }

void EventQueue::End() noexcept { open_.store(false, std::memory_order_seq_cst); }

bool EventQueue::TryFreeRing() noexcept {
  // A callback first says that it is inside and then looks whether the queue is open; here it is the other way round.
  // With sequential consistency one of the two sees the other.
  if (open_.load(std::memory_order_seq_cst) || inside_.load(std::memory_order_seq_cst) != 0) return false;
  ring_.reset();
  return true;
}

void EventQueue::Deliver(const void* event) noexcept {
  inside_.fetch_add(1, std::memory_order_seq_cst);
  Count(Counter::kOffered);
  if (!open_.load(std::memory_order_seq_cst)) {
    Count(Counter::kDroppedClosed);
  } else if (const CheckedEvent checked = CheckEvent(event); checked.rejection != Rejection::kNone) {
    Count(CounterOf(checked.rejection));
  } else if (!ring_->TryPush(event, checked)) {
    Count(Counter::kDroppedFull);
  } else if (checked.detail_len > (checked.detail == nullptr ? 0 : kRecordDetailBytesMax)) {
    Count(Counter::kTruncatedDetail);
  }
  inside_.fetch_sub(1, std::memory_order_seq_cst);
}

std::size_t EventQueue::Drain(std::uint8_t* out, std::size_t records_max) noexcept {
  return ring_ == nullptr ? 0 : ring_->Drain(out, records_max);
}

Counters EventQueue::Read() const noexcept {
  Counters counters{};
  // Outcomes before arrivals, drained before accepted: read while callbacks run, no sum ever exceeds what it is part of.
  const std::uint64_t drained = ring_ == nullptr ? 0 : ring_->drained();
  const std::uint64_t accepted = ring_ == nullptr ? 0 : ring_->accepted();
  for (std::size_t index = counters.size(); index-- > 0;) counters[index] = Load(static_cast<Counter>(index));
  counters[static_cast<std::size_t>(Counter::kAccepted)] = accepted;
  counters[static_cast<std::size_t>(Counter::kDrained)] = drained;
  counters[static_cast<std::size_t>(Counter::kQueued)] = accepted - drained;
  return counters;
}

void EventQueue::Count(Counter counter) noexcept {
  counts_[static_cast<std::size_t>(counter)].fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t EventQueue::Load(Counter counter) const noexcept {
  return counts_[static_cast<std::size_t>(counter)].load(std::memory_order_relaxed);
}

void DeliverToQueue(const skippy_runtime_event_v1* event, void* user_data) noexcept {
  if (user_data != nullptr) static_cast<EventQueue*>(user_data)->Deliver(event);
}

PooledQueue::PooledQueue(std::size_t capacity) : queue_(EventQueuePool::Get().Take()) {
  queue_->Begin(std::make_unique<RecordRing>(capacity, RecordRing::TerminalCell::kPresent));
}

PooledQueue::~PooledQueue() {
  Close();
  EventQueuePool::Get().Give(queue_);
}

void PooledQueue::Close() noexcept {
  queue_->End();
  // The object that a late callback would find stays, and counts.
  queue_->TryFreeRing();
}

}  // namespace mesh::runtime
