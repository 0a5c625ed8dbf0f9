#include "runtime/record_ring.h"

#include <cstring>

namespace mesh::runtime {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "the callback must not meet a hidden lock");

RecordRing::RecordRing(std::size_t capacity, TerminalCell terminal_cell)
    : capacity_(capacity),
      cells_(std::make_unique<Cell[]>(capacity)),
      terminal_(terminal_cell == TerminalCell::kPresent ? Terminal::kFree : Terminal::kUnavailable) {}

bool RecordRing::TryPush(const void* event, const CheckedEvent& checked) noexcept {
  std::uint64_t position = head_.load(std::memory_order_acquire);
  for (;;) {
    Cell& cell = cells_[position % capacity_];
    const std::uint64_t free_turn = 2 * (position / capacity_);
    if (cell.turn.load(std::memory_order_acquire) == free_turn) {
      if (head_.compare_exchange_weak(position, position + 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
        CopyEvent(event, checked, cell.record);
        cell.turn.store(free_turn + 1, std::memory_order_release);
        return true;
      }
    } else {
      // Not free for this lap. If nobody has moved on meanwhile, the reader is a whole lap behind: full.
      const std::uint64_t seen = position;
      position = head_.load(std::memory_order_acquire);
      if (position == seen) return TryFillTerminal(event, checked);
    }
  }
}

bool RecordRing::TryFillTerminal(const void* event, const CheckedEvent& checked) noexcept {
  if (!IsTerminalKind(checked.kind)) return false;
  Terminal expected = Terminal::kFree;
  if (!terminal_.compare_exchange_strong(expected, Terminal::kFilling, std::memory_order_acq_rel)) return false;
  CopyEvent(event, checked, terminal_record_);
  terminal_.store(Terminal::kFilled, std::memory_order_release);
  return true;
}

std::size_t RecordRing::Drain(std::uint8_t* out, std::size_t records_max) noexcept {
  const std::lock_guard<std::mutex> reading(readers_);
  std::size_t taken = 0;
  while (taken < records_max && TryPop(out + taken * sizeof(EventRecord))) taken += 1;
  if (taken < records_max && TryTakeTerminal(out + taken * sizeof(EventRecord))) taken += 1;
  drained_.fetch_add(taken, std::memory_order_release);
  return taken;
}

bool RecordRing::TryPop(std::uint8_t* out) noexcept {
  Cell& cell = cells_[tail_ % capacity_];
  const std::uint64_t lap = tail_ / capacity_;
  if (cell.turn.load(std::memory_order_acquire) != 2 * lap + 1) return false;
  std::memcpy(out, &cell.record, sizeof(EventRecord));
  cell.turn.store(2 * (lap + 1), std::memory_order_release);
  tail_ += 1;
  return true;
}

bool RecordRing::TryTakeTerminal(std::uint8_t* out) noexcept {
  if (terminal_.load(std::memory_order_acquire) != Terminal::kFilled) return false;
  // The last record is last: one that a producer has claimed and not published yet goes before it, in a later drain.
  if (head_.load(std::memory_order_acquire) != tail_) return false;
  std::memcpy(out, &terminal_record_, sizeof(EventRecord));
  terminal_.store(Terminal::kDrained, std::memory_order_release);
  return true;
}

std::uint64_t RecordRing::accepted() const noexcept {
  const Terminal terminal = terminal_.load(std::memory_order_acquire);
  const bool filled = terminal == Terminal::kFilled || terminal == Terminal::kDrained;
  return head_.load(std::memory_order_acquire) + (filled ? 1 : 0);
}

}  // namespace mesh::runtime
