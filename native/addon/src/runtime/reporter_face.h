#pragma once

#include <node_api.h>

namespace mesh::runtime {

// installReporter(owner), clearReporter(generation), reporterOwner(), drainReporter(generation, buffer, recordsMax),
// readReporterCounters(counters).
napi_value InstallReporter(napi_env env, napi_callback_info info);
napi_value ClearReporter(napi_env env, napi_callback_info info);
napi_value ReporterOwner(napi_env env, napi_callback_info info);
napi_value DrainReporter(napi_env env, napi_callback_info info);
napi_value ReadReporterCounters(napi_env env, napi_callback_info info);

}  // namespace mesh::runtime
