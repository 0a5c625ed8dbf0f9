#pragma once

#include <node_api.h>

namespace mesh::runtime {

// The calls of a session, each on the session's lane.
napi_value CloseSession(napi_env env, napi_callback_info info);
napi_value ResetSession(napi_env env, napi_callback_info info);
napi_value Prefill(napi_env env, napi_callback_info info);
napi_value Decode(napi_env env, napi_callback_info info);

}  // namespace mesh::runtime
