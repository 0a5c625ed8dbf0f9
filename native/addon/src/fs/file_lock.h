#pragma once

#include <napi.h>

namespace mesh::fs {

// Face functions over flock(). The lock belongs to the open file description, so two openings in one process contend like
// two processes, and the kernel drops it when the last descriptor of that description closes, however the process ends.

// tryLock(file): exclusive, never waits. False when somebody else holds it.
Napi::Value TryLock(const Napi::CallbackInfo& info);

// unlock(file)
Napi::Value Unlock(const Napi::CallbackInfo& info);

}  // namespace mesh::fs
