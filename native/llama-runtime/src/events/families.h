// The five event families of the process-global reporter, as the runtime itself calls them.
#pragma once

#include <cstdint>
#include <string_view>

#include "skippy.h"

namespace mesh::llama {

void EmitModelLoad(uint32_t kind, uint64_t model_id, uint64_t n0, uint64_t n1, std::string_view detail) noexcept;
void EmitKv(uint32_t kind, uint64_t session_id, uint64_t n0, uint64_t n1) noexcept;
void EmitDevice(uint32_t kind, uint64_t n0, std::string_view detail) noexcept;
void EmitDiagnostic(uint32_t kind, uint32_t failure_code, std::string_view detail) noexcept;
void EmitUnload(uint32_t kind, uint64_t model_id, uint64_t n0) noexcept;

}  // namespace mesh::llama
