#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "runtime/record_ring.h"

namespace mesh::runtime {

// Counters in the order in which JavaScript reads them; native.ts has the same list.
enum class Counter : std::size_t {
  kOffered,
  kAccepted,
  kDroppedFull,
  kDroppedClosed,
  kRejectedNull,
  kRejectedShortStruct,
  kRejectedAbiVersion,
  kRejectedOversizedDetail,
  kTruncatedDetail,
  kDrained,
  kQueued,
  kCount,
};
using Counters = std::array<std::uint64_t, static_cast<std::size_t>(Counter::kCount)>;

// Where a runtime delivers events: the address a reporter carries as its user_data.
//
// The ABI promises that no callback comes after an open returned. A runtime that breaks the promise must be counted, not
// crash the host; so this object itself is never freed (EventQueuePool recycles it, oldest first, after many others) and
// only its ring is, once it is shut and no callback is inside.
class EventQueue {
 public:
  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  // Takes the events of one producer from here on, into a new ring.
  void Begin(std::unique_ptr<RecordRing> ring) noexcept;
  // As Begin after End, keeping ring and counters: the process-wide reporter has many owners and one history.
  void Resume() noexcept;
  // Takes no more: what still arrives is counted as dropped.
  void End() noexcept;
  bool is_open() const noexcept { return open_.load(std::memory_order_relaxed); }
  // Frees the ring, unless a callback is inside, which only a runtime that broke its promise can cause.
  bool TryFreeRing() noexcept;

  // The callback's whole work. Any thread; no lock, no allocation, no wait.
  void Deliver(const void* event) noexcept;

  std::size_t Drain(std::uint8_t* out, std::size_t records_max) noexcept;
  Counters Read() const noexcept;

 private:
  void Count(Counter counter) noexcept;
  std::uint64_t Load(Counter counter) const noexcept;

  std::unique_ptr<RecordRing> ring_;
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> inside_{0};
  std::atomic<bool> open_{false};
  alignas(kCacheLineBytes) std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(Counter::kCount)> counts_{};
};

// The callback that a reporter with an EventQueue as its user_data carries.
void DeliverToQueue(const skippy_runtime_event_v1* event, void* user_data) noexcept;

// Owns one EventQueue of the pool for as long as JavaScript or a running open holds it.
class PooledQueue {
 public:
  explicit PooledQueue(std::size_t capacity);
  ~PooledQueue();
  PooledQueue(const PooledQueue&) = delete;
  PooledQueue& operator=(const PooledQueue&) = delete;

  EventQueue& queue() const noexcept { return *queue_; }
  // Gives the records up at once; the rest follows with the last owner.
  void Close() noexcept;

 private:
  EventQueue* const queue_;
};

}  // namespace mesh::runtime
