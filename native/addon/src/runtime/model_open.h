#pragma once

#include <node_api.h>

namespace mesh::runtime {

// openModel(request): opens on a lane of its own, which then is the lane of the model.
napi_value OpenModel(napi_env env, napi_callback_info info);

}  // namespace mesh::runtime
