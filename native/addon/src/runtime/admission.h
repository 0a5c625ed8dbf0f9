#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/library_set.h"
#include "runtime/runtime_functions.h"

namespace mesh::runtime {

using AbiVersion = std::array<std::uint32_t, 3>;
inline constexpr AbiVersion kRequiredAbi = {SKIPPY_ABI_VERSION_MAJOR, SKIPPY_ABI_VERSION_MINOR, SKIPPY_ABI_VERSION_PATCH};

// The runtime of this process, once it is admitted. It is never replaced and never destroyed.
struct AdmittedRuntime {
  LibrarySet libraries;
  RuntimeFunctions functions;
  AbiVersion abi;
  // Nothing when the runtime has no skippy_abi_features.
  std::optional<std::uint64_t> features;
  // Bit 24 and both entries, also for an open of one file.
  bool opens_with_events;
};

struct AbiSymbolMissing {};
struct AbiMismatch {
  std::string library;
  AbiVersion found;
};
struct SymbolMissing {
  std::string symbol;
};
using AdmissionDifference = std::variant<LibraryOpenFailure, AbiSymbolMissing, AbiMismatch, SymbolMissing>;

struct Refused {
  std::vector<AdmissionDifference> differences;
};
struct AlreadyLoaded {
  std::vector<std::string> libraries;
};
struct OtherCopy {
  std::string library;
  std::optional<std::string> owner;
  std::string self;
};
using Admission = std::variant<const AdmittedRuntime*, Refused, AlreadyLoaded, OtherCopy>;

// Loads and checks a runtime; runs foreign constructors and skippy_abi_version, and nothing else of it before the version
// is known to be right. Callers take turns.
Admission Admit(const std::vector<std::string>& paths);

// The admitted runtime, or null. Any thread.
const AdmittedRuntime* Admitted();

}  // namespace mesh::runtime
