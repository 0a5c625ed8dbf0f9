#pragma once

#include <node_api.h>

namespace mesh::runtime {

// The calls of a model, each on the model's lane.
napi_value CloseModel(napi_env env, napi_callback_info info);
napi_value Tokenize(napi_env env, napi_callback_info info);
napi_value Detokenize(napi_env env, napi_callback_info info);
napi_value TokenIsEog(napi_env env, napi_callback_info info);
napi_value CreateSession(napi_env env, napi_callback_info info);

}  // namespace mesh::runtime
