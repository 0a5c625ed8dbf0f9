#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "runtime/record.h"

namespace mesh::runtime {

// Two cores never write to the same line by accident.
inline constexpr std::size_t kCacheLineBytes = 64;

// A bounded ring for many producers that never wait, allocate or lock, and for readers that take turns.
//
// Each cell carries a turn: 2t while it is free for lap t, 2t + 1 while it holds the record of lap t. A producer claims a
// position by moving `head_`, copies, and publishes by advancing the turn; a reader takes the cell once it is published.
// This needs no power of two and works from a capacity of one on. A producer that is stopped between claim and publication
// delays readers of later cells and never another producer.
//
// The terminal cell, when there is one, lies outside the ring. The first terminal event that finds the ring full goes there
// and is drained after everything else, so that an overflow cannot lose how an open ended.
class RecordRing {
 public:
  enum class TerminalCell : bool { kNone, kPresent };

  // Allocates and touches every cell. `capacity` is at least one.
  RecordRing(std::size_t capacity, TerminalCell terminal_cell);
  RecordRing(const RecordRing&) = delete;
  RecordRing& operator=(const RecordRing&) = delete;

  // Copies a checked event in. False when there is no room, and then nothing was changed. Any thread.
  bool TryPush(const void* event, const CheckedEvent& checked) noexcept;

  // Copies up to `records_max` records, oldest first, packed, to `out`. Any thread but a producer's callback: readers lock
  // each other out.
  std::size_t Drain(std::uint8_t* out, std::size_t records_max) noexcept;

  std::uint64_t accepted() const noexcept;
  std::uint64_t drained() const noexcept { return drained_.load(std::memory_order_acquire); }

 private:
  struct alignas(kCacheLineBytes) Cell {
    std::atomic<std::uint64_t> turn{0};
    EventRecord record{};
  };
  enum class Terminal : std::uint8_t { kUnavailable, kFree, kFilling, kFilled, kDrained };

  bool TryFillTerminal(const void* event, const CheckedEvent& checked) noexcept;
  bool TryPop(std::uint8_t* out) noexcept;
  bool TryTakeTerminal(std::uint8_t* out) noexcept;

  const std::size_t capacity_;
  const std::unique_ptr<Cell[]> cells_;
  EventRecord terminal_record_{};
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> head_{0};
  alignas(kCacheLineBytes) std::atomic<Terminal> terminal_;
  alignas(kCacheLineBytes) std::mutex readers_;
  std::uint64_t tail_ = 0;
  std::atomic<std::uint64_t> drained_{0};
};

}  // namespace mesh::runtime
