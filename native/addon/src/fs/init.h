#pragma once

#include <napi.h>

namespace mesh::fs {

// Registers the `fs` face on `exports` and returns it. Called once for every Node environment that loads the addon.
Napi::Object InitFs(Napi::Env env, Napi::Object exports);

}  // namespace mesh::fs
