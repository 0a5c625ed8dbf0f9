// The compute backends of ggml: loaded once from this library's own folder, listed as devices.
#pragma once

#include <string>

#include "ggml-backend.h"

namespace mesh::llama {

// Loads the backends that lie beside this library, once per process; later calls return at once. Throws Failure when
// none fits this processor, and then tries again the next time.
void EnsureBackends();

// The device of that name. Throws Failure when there is none. EnsureBackends first.
ggml_backend_dev_t DeviceByName(const std::string& name);

// Whether any device computes outside the CPU's own memory.
bool HasGpu();

}  // namespace mesh::llama
