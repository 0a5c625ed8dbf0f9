// One event on its way to a reporter: what both streams, the per-call and the process-global one, have in common.
#pragma once

#include <cstdint>
#include <string_view>

#include "skippy.h"

namespace mesh::llama {

// The reporter of a caller, copied: the caller's struct is borrowed for the call that passed it.
struct Reporter {
  skippy_runtime_event_callback_v1 callback = nullptr;
  void* user_data = nullptr;
};

// Checks a reporter given to an open in the order that skippy.h fixes; an absent callback is a reporter without one.
// Throws Failure for a struct that is too small or of another version.
Reporter CheckedReporter(const skippy_runtime_event_reporter_v1* reporter);

// An event with its versions, its time and its detail; everything else is zero.
skippy_runtime_event_v1 MakeEvent(uint32_t category, uint32_t kind, std::string_view detail) noexcept;

}  // namespace mesh::llama
