#include "fs/init.h"

namespace mesh::fs {

Napi::Object InitFs(Napi::Env, Napi::Object exports) { return exports; }

}  // namespace mesh::fs
