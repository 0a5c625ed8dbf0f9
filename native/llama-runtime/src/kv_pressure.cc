#include "kv_pressure.h"

#include "events/families.h"

namespace mesh::llama {

bool KvPressure::AtLeast(uint64_t position, uint64_t percent) const noexcept {
  return position * 100 >= context_tokens_ * percent;
}

void KvPressure::Rose(uint64_t position) noexcept {
  if (!crossed_ && AtLeast(position, KV_PRESSURE_CROSSED_PERCENT)) {
    crossed_ = true;
    EmitKv(SKIPPY_EVENT_KIND_KV_PRESSURE_CROSSED, session_id_, position, context_tokens_);
  }
  if (!approaching_ && AtLeast(position, KV_APPROACHING_PERCENT)) {
    approaching_ = true;
    EmitKv(SKIPPY_EVENT_KIND_KV_CONTEXT_APPROACHING_CAPACITY, session_id_, position, context_tokens_);
  }
}

void KvPressure::Fell(uint64_t position, bool reset) noexcept {
  if (!AtLeast(position, KV_APPROACHING_PERCENT)) approaching_ = false;
  const bool first_reset = reset && !reset_reported_;
  reset_reported_ = reset_reported_ || reset;
  if (AtLeast(position, KV_PRESSURE_CLEARED_PERCENT) || (!crossed_ && !first_reset)) return;
  crossed_ = false;
  EmitKv(SKIPPY_EVENT_KIND_KV_PRESSURE_CLEARED, session_id_, position, context_tokens_);
}

void KvPressure::Exhausted(uint64_t position) const noexcept {
  EmitKv(SKIPPY_EVENT_KIND_KV_CONTEXT_CAPACITY_EXHAUSTED, session_id_, position, context_tokens_);
}

}  // namespace mesh::llama
