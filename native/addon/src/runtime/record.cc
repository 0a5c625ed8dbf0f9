#include "runtime/record.h"

#include <algorithm>
#include <cstring>

namespace mesh::runtime {

namespace {

template <typename Value>
Value ReadAt(const void* event, std::size_t offset) noexcept {
  Value value;
  std::memcpy(&value, static_cast<const std::uint8_t*>(event) + offset, sizeof value);
  return value;
}

}  // namespace

CheckedEvent CheckEvent(const void* event) noexcept {
  CheckedEvent checked{};
  checked.rejection = Rejection::kNull;
  if (event == nullptr) return checked;
  // The size comes first and alone: no other field exists before it says so.
  checked.struct_size = ReadAt<std::uint32_t>(event, offsetof(skippy_runtime_event_v1, struct_size));
  checked.rejection = Rejection::kShortStruct;
  if (checked.struct_size < SKIPPY_RUNTIME_EVENT_V1_BASE_SIZE) return checked;
  const auto abi_version = ReadAt<std::uint32_t>(event, offsetof(skippy_runtime_event_v1, abi_version));
  checked.rejection = Rejection::kAbiVersion;
  if (abi_version != SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION) return checked;
  checked.detail_len = ReadAt<std::uint64_t>(event, offsetof(skippy_runtime_event_v1, detail_len));
  checked.rejection = Rejection::kOversizedDetail;
  if (checked.detail_len > kEventDetailBytesMax) return checked;
  checked.detail = ReadAt<const char*>(event, offsetof(skippy_runtime_event_v1, detail_ptr));
  checked.kind = ReadAt<std::uint32_t>(event, offsetof(skippy_runtime_event_v1, kind));
  checked.rejection = Rejection::kNone;
  return checked;
}

void CopyEvent(const void* event, const CheckedEvent& checked, EventRecord& record) noexcept {
  std::memcpy(&record, event, kSharedPrefixBytes);
  // Less than the whole extension is no extension, and absent is not zero.
  const bool extended = checked.struct_size >= SKIPPY_RUNTIME_EVENT_V1_SIZE;
  record.numeric_summary_present = extended ? kNumericSummaryPresent : 0;
  if (extended) {
    const auto* from = static_cast<const std::uint8_t*>(event) + offsetof(skippy_runtime_event_v1, numeric_summary_0);
    std::memcpy(record.numeric_summary, from, sizeof record.numeric_summary);
  } else {
    std::memset(record.numeric_summary, 0, sizeof record.numeric_summary);
  }
  const std::size_t declared = static_cast<std::size_t>(checked.detail_len);
  const std::size_t copied = checked.detail == nullptr ? 0 : std::min(declared, kRecordDetailBytesMax);
  if (copied > 0) std::memcpy(record.detail, checked.detail, copied);
  std::memset(record.detail + copied, 0, sizeof(EventRecord) - offsetof(EventRecord, detail) - copied);
  record.detail_len = static_cast<std::uint16_t>(copied);
  record.detail_truncated = declared > copied ? 1 : 0;
}

bool IsTerminalKind(std::uint32_t kind) noexcept {
  return kind == SKIPPY_EVENT_KIND_MODEL_OPEN_FINISHED || kind == SKIPPY_EVENT_KIND_MODEL_OPEN_FAILED_HANDLED;
}

}  // namespace mesh::runtime
