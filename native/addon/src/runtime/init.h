#pragma once

#include <napi.h>

namespace mesh::runtime {

// Registers the `runtime` face on `exports` and returns it. Called once for every Node environment that loads the addon.
Napi::Object InitRuntime(Napi::Env env, Napi::Object exports);

}  // namespace mesh::runtime
