#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "skippy.h"

namespace mesh::runtime {

// Detail bytes that fit into one record.
inline constexpr std::size_t kRecordDetailBytesMax = 256;
// An event that declares more detail than this is refused, whether or not its pointer is null.
inline constexpr std::uint64_t kEventDetailBytesMax = std::uint64_t{1} << 20;
// Bytes at the beginning of an event that a record takes over as they are.
inline constexpr std::size_t kSharedPrefixBytes = 96;
// Value of numeric_summary_present when the event carried its extension.
inline constexpr std::uint8_t kNumericSummaryPresent = 0b1111;

// What is kept of one event: fixed in size, without pointers, so that it can be copied into a ring and out of it.
struct EventRecord {
  std::uint32_t abi_version;
  std::uint32_t struct_size;
  std::uint32_t category;
  std::uint32_t kind;
  std::uint32_t emitter;
  std::uint32_t reserved0;
  std::uint64_t sequence;
  std::uint64_t timestamp_mono_ns;
  std::uint64_t model_id;
  std::uint64_t stage_id;
  std::uint64_t session_id;
  std::uint64_t progress_current;
  std::uint64_t progress_total;
  std::uint32_t progress_unit;
  std::uint32_t failure_code;
  std::int32_t status;
  std::uint32_t reserved1;
  std::uint64_t numeric_summary[4];
  std::uint8_t numeric_summary_present;
  std::uint8_t detail_truncated;
  std::uint16_t detail_len;
  std::uint8_t detail[kRecordDetailBytesMax];
};

static_assert(std::is_trivially_copyable_v<EventRecord>);
static_assert(sizeof(EventRecord) == 392);
static_assert(offsetof(EventRecord, reserved1) + sizeof(std::uint32_t) == kSharedPrefixBytes);
static_assert(offsetof(skippy_runtime_event_v1, detail_ptr) == kSharedPrefixBytes);
static_assert(offsetof(EventRecord, sequence) == offsetof(skippy_runtime_event_v1, sequence));
static_assert(offsetof(EventRecord, status) == offsetof(skippy_runtime_event_v1, status));
static_assert(offsetof(EventRecord, numeric_summary) == 96);
static_assert(offsetof(EventRecord, numeric_summary_present) == 128);
static_assert(offsetof(EventRecord, detail_truncated) == 129);
static_assert(offsetof(EventRecord, detail_len) == 130);
static_assert(offsetof(EventRecord, detail) == 132);

enum class Rejection : std::uint8_t { kNone, kNull, kShortStruct, kAbiVersion, kOversizedDetail };

// The fields of an event that decide whether it is taken, read in an order in which no byte beyond the declared size is
// touched.
struct CheckedEvent {
  Rejection rejection;
  std::uint32_t struct_size;
  std::uint32_t kind;
  const char* detail;
  std::uint64_t detail_len;
};

// Checks an event that foreign code handed over. `event` may be null, unaligned, and shorter than it should be.
CheckedEvent CheckEvent(const void* event) noexcept;

// Copies a checked event. Every byte of the record is written, so that none of an earlier event shows through.
void CopyEvent(const void* event, const CheckedEvent& checked, EventRecord& record) noexcept;

// Whether an open ends with this kind of event.
bool IsTerminalKind(std::uint32_t kind) noexcept;

}  // namespace mesh::runtime
