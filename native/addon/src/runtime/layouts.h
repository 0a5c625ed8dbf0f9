#pragma once

#include <node_api.h>

namespace mesh::runtime {

// layouts(): sizes and offsets of every struct of the ABI and of the record, as this addon was compiled with them. A test
// compares them with what JavaScript believes.
napi_value Layouts(napi_env env, napi_callback_info info);

}  // namespace mesh::runtime
