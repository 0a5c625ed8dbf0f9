#include "events/event.h"

#include <chrono>

#include "abi/error.h"

namespace mesh::llama {

Reporter CheckedReporter(const skippy_runtime_event_reporter_v1* reporter) {
  if (reporter == nullptr) return {};
  // struct_size is read before any field behind it: a smaller struct may end before them.
  if (reporter->struct_size < sizeof(skippy_runtime_event_reporter_v1)) {
    throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "runtime event reporter struct is too small");
  }
  if (reporter->callback == nullptr) return {};
  if (reporter->abi_version != SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION) {
    throw Failure(SKIPPY_STATUS_UNSUPPORTED, "unsupported runtime event reporter ABI version");
  }
  return {reporter->callback, reporter->user_data};
}

skippy_runtime_event_v1 MakeEvent(uint32_t category, uint32_t kind, std::string_view detail) noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  skippy_runtime_event_v1 event{};
  event.abi_version = SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION;
  event.struct_size = SKIPPY_RUNTIME_EVENT_V1_SIZE;
  event.category = category;
  event.kind = kind;
  event.timestamp_mono_ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  event.detail_ptr = detail.data();
  event.detail_len = detail.size();
  return event;
}

}  // namespace mesh::llama
