#pragma once

#include <napi.h>

namespace mesh::fs {

// dropCachedPages(file): asks the kernel to forget what it holds of a file in memory. True when afterwards no page of it
// was there, so that what is read next comes from the device; false when some stayed or nobody can tell.
Napi::Value DropCachedPages(const Napi::CallbackInfo& info);

// startWriteback(file): asks the kernel to begin writing what it holds of a file in memory, and waits for nothing. It makes
// nothing durable and takes no error away from a later sync; on other systems than Linux it does nothing.
Napi::Value StartWriteback(const Napi::CallbackInfo& info);

}  // namespace mesh::fs
