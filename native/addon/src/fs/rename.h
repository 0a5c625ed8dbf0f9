#pragma once

#include <napi.h>

namespace mesh::fs {

// rename(directory, source, targetDirectory, target): the entry itself gets another name, in one step, whatever it is and
// whoever owns it. Nothing is ever replaced: EEXIST where the target is taken.
Napi::Value Rename(const Napi::CallbackInfo& info);

}  // namespace mesh::fs
