#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mesh::runtime {

// Why a native call gave no value. Facts only; JavaScript makes words of them.
struct Failure {
  enum class Kind : std::uint8_t { kStatus, kNullHandle, kThrew, kCancelled, kClosed, kExiting, kNoThread };

  Kind kind;
  // The function of the runtime that was called, or empty.
  std::string function;
  // What it returned, when it returned.
  std::optional<std::int32_t> status;
  // The runtime's words, the exception's, or the system's.
  std::optional<std::string> message;
};

}  // namespace mesh::runtime
