#include "runtime/init.h"

#include "runtime/call.h"
#include "runtime/environment.h"
#include "runtime/layouts.h"
#include "runtime/load.h"
#include "runtime/model_calls.h"
#include "runtime/model_open.h"
#include "runtime/queue_face.h"
#include "runtime/reporter_face.h"
#include "runtime/session_calls.h"

namespace mesh::runtime {

namespace {

struct Entry {
  const char* name;
  napi_callback function;
};

constexpr Entry kEntries[] = {
    {"load", Load},
    {"loaded", Loaded},
    {"hasSymbol", HasSymbol},
    {"layouts", Layouts},
    {"noteExit", NoteExit},
    {"createQueue", CreateQueue},
    {"drainQueue", DrainQueue},
    {"readQueueCounters", ReadQueueCounters},
    {"closeQueue", CloseQueue},
    {"openModel", OpenModel},
    {"closeModel", CloseModel},
    {"tokenize", Tokenize},
    {"detokenize", Detokenize},
    {"tokenIsEog", TokenIsEog},
    {"listDevices", ListDevices},
    {"createSession", CreateSession},
    {"closeSession", CloseSession},
    {"resetSession", ResetSession},
    {"prefill", Prefill},
    {"decode", Decode},
    {"cancel", CancelOperation},
    {"installReporter", InstallReporter},
    {"clearReporter", ClearReporter},
    {"reporterOwner", ReporterOwner},
    {"drainReporter", DrainReporter},
    {"readReporterCounters", ReadReporterCounters},
};

}  // namespace

Napi::Object InitRuntime(Napi::Env env, Napi::Object exports) {
  // The functions of one environment share this. It goes away with the environment, when no JavaScript can call them.
  auto* const environment = new std::shared_ptr<Environment>(Environment::Attach(env));
  napi_add_env_cleanup_hook(
      env, [](void* shared) { delete static_cast<std::shared_ptr<Environment>*>(shared); }, environment);
  for (const Entry& entry : kEntries) {
    napi_value function = nullptr;
    napi_create_function(env, entry.name, NAPI_AUTO_LENGTH, entry.function, environment, &function);
    napi_set_named_property(env, exports, entry.name, function);
  }
  return exports;
}

}  // namespace mesh::runtime
