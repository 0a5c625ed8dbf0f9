#pragma once

#include <napi.h>

namespace mesh::fs {

// Face functions that say what an entry is. Both fill a BigInt64Array that the caller owns, one field an element, in the
// order of StatusField in status.cc: building an object here would cost more than the system call.

// statName(directory, name, fields): the entry itself, never what a symbolic link points to. False where there is none.
Napi::Value StatName(const Napi::CallbackInfo& info);

// statDescriptor(descriptor, fields)
Napi::Value StatDescriptor(const Napi::CallbackInfo& info);

}  // namespace mesh::fs
