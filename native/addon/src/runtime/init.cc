#include "runtime/init.h"

namespace mesh::runtime {

Napi::Object InitRuntime(Napi::Env, Napi::Object exports) { return exports; }

}  // namespace mesh::runtime
