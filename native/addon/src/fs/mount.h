#pragma once

#include <napi.h>

namespace mesh::fs {

// statMount(descriptor): { type, typeName, readOnly } of the file system that the descriptor lies on. `typeName` is null
// where the system gives a number alone.
Napi::Value StatMount(const Napi::CallbackInfo& info);

}  // namespace mesh::fs
