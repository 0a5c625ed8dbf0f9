#pragma once

#include <node_api.h>

namespace mesh::runtime {

// load(libraries), loaded(), hasSymbol(name), noteExit(code), listDevices(): what concerns the runtime as a whole.
napi_value Load(napi_env env, napi_callback_info info);
napi_value Loaded(napi_env env, napi_callback_info info);
napi_value HasSymbol(napi_env env, napi_callback_info info);
napi_value NoteExit(napi_env env, napi_callback_info info);
napi_value ListDevices(napi_env env, napi_callback_info info);

}  // namespace mesh::runtime
