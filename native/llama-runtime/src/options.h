// The ABI's runtime config, checked and turned into the parameters of llama.cpp.
#pragma once

#include <string>

#include "llama.h"
#include "skippy.h"

namespace mesh::llama {

struct Options {
  llama_model_params model;
  llama_context_params context;
  uint64_t stage_id = 0;
  // Number of layers the caller expects, 0 when it did not say.
  int32_t layer_end = 0;
  // Name of the device the caller chose; empty: llama.cpp chooses.
  std::string device;
};

// A null config means a whole model with defaults. Throws Failure: INVALID_ARGUMENT for a value no field can have,
// UNSUPPORTED for a field that asks for what stock llama.cpp cannot do. Nothing is silently ignored that would change
// the result.
Options OptionsOf(const skippy_runtime_config* config);

// Cores minus one, at least one: a host that decodes keeps one core for itself (design D3).
int32_t DefaultThreads();

}  // namespace mesh::llama
