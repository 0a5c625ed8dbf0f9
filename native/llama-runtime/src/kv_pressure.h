// How full a session's context is, reported when a threshold is crossed. The thresholds are this runtime's own choice.
#pragma once

#include <cstdint>

namespace mesh::llama {

inline constexpr uint64_t KV_PRESSURE_CROSSED_PERCENT = 75;
inline constexpr uint64_t KV_PRESSURE_CLEARED_PERCENT = 60;
inline constexpr uint64_t KV_APPROACHING_PERCENT = 95;

class KvPressure {
 public:
  KvPressure(uint64_t session_id, uint64_t context_tokens) : session_id_(session_id), context_tokens_(context_tokens) {}

  // After tokens were evaluated.
  void Rose(uint64_t position) noexcept;
  // After a reset or a trim. The first reset reports a cleared cache even when pressure was never crossed.
  void Fell(uint64_t position, bool reset) noexcept;
  // When the cache had no room for the tokens of a call; it kept its state.
  void Exhausted(uint64_t position) const noexcept;

 private:
  bool AtLeast(uint64_t position, uint64_t percent) const noexcept;

  uint64_t session_id_;
  uint64_t context_tokens_;
  bool crossed_ = false;
  bool approaching_ = false;
  bool reset_reported_ = false;
};

}  // namespace mesh::llama
