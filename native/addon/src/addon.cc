// The one entry of the addon. It has two faces that share nothing but this file: `fs`, descriptor-relative file calls,
// and `runtime`, the loader of a native model runtime. Each face registers itself on an object of its own.

#include <napi.h>

#include "fs/init.h"
#include "runtime/init.h"

namespace {

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("fs", mesh::fs::InitFs(env, Napi::Object::New(env)));
  exports.Set("runtime", mesh::runtime::InitRuntime(env, Napi::Object::New(env)));
  return exports;
}

}  // namespace

NODE_API_MODULE(NODE_GYP_MODULE_NAME, Init)
