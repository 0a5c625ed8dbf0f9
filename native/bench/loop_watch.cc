// Watches one event loop from inside: how long each of its turns kept it busy. The time that the loop waits for events is
// taken off by libuv's own metric, so what is left is JavaScript, the addon and the engine. A turn that was preempted, and
// one that never gave the processor up by itself but to wait for events, are measured by the thread's own clock if that
// shows less: what other processes or the machine under a virtual one did meanwhile is not what our code did. The engine's
// collections of garbage are taken off too, and reported beside it.
#include <node_api.h>
#include <sys/resource.h>
#include <uv.h>
#include <v8.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <iterator>

namespace {

struct Turn {
  std::uint64_t wall_ns;
  std::uint64_t waited_ns;
  std::uint64_t cpu_ns;
  std::int64_t preemptions;
  std::int64_t given_up;
};

// The time that collections of garbage took, by both clocks.
struct Collections {
  std::uint64_t wall_ns;
  std::uint64_t cpu_ns;
};

struct Watch {
  uv_check_t handle;
  bool running;
  Turn last;
  Turn collection_began;
  Collections in_turn;
  std::uint64_t longest_collection_ns;
  std::uint64_t turns;
  std::uint64_t longest_held_ns;
  std::uint64_t longest_wall_ns;
};

Watch watch{};

Turn Now(uv_loop_t* loop) {
  timespec cpu{};
  rusage usage{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  getrusage(RUSAGE_THREAD, &usage);
  return {uv_hrtime(), uv_metrics_idle_time(loop),
          static_cast<std::uint64_t>(cpu.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(cpu.tv_nsec), usage.ru_nivcsw,
          usage.ru_nvcsw};
}

std::uint64_t Less(std::uint64_t whole, std::uint64_t part) { return whole > part ? whole - part : 0; }

// Called once a turn, after the events were handled.
void OnTurn(uv_check_t* handle) {
  const Turn now = Now(handle->loop);
  const std::uint64_t passed = now.wall_ns - watch.last.wall_ns;
  const std::uint64_t waited = now.waited_ns - watch.last.waited_ns;
  const std::uint64_t busy = Less(passed, waited);
  const std::uint64_t own_wall = Less(busy, watch.in_turn.wall_ns);
  const std::uint64_t own_cpu = Less(now.cpu_ns - watch.last.cpu_ns, watch.in_turn.cpu_ns);
  // One time is the wait for events.
  const bool stood_still_by_itself = now.given_up - watch.last.given_up > 1;
  const bool by_wall = stood_still_by_itself && now.preemptions == watch.last.preemptions;
  const std::uint64_t held = by_wall ? own_wall : std::min(own_wall, own_cpu);
  if (busy > watch.longest_wall_ns) watch.longest_wall_ns = busy;
  if (held > watch.longest_held_ns) watch.longest_held_ns = held;
  watch.turns += 1;
  watch.last = now;
  watch.in_turn = {};
}

void OnCollectionBegin(v8::Isolate*, v8::GCType, v8::GCCallbackFlags, void* loop) {
  watch.collection_began = Now(static_cast<uv_loop_t*>(loop));
}

void OnCollectionEnd(v8::Isolate*, v8::GCType, v8::GCCallbackFlags, void* loop) {
  const Turn now = Now(static_cast<uv_loop_t*>(loop));
  const std::uint64_t wall_ns = now.wall_ns - watch.collection_began.wall_ns;
  watch.in_turn.wall_ns += wall_ns;
  watch.in_turn.cpu_ns += now.cpu_ns - watch.collection_began.cpu_ns;
  if (wall_ns > watch.longest_collection_ns) watch.longest_collection_ns = wall_ns;
}

// start(): begins to watch the loop of this environment
napi_value Start(napi_env env, napi_callback_info) {
  uv_loop_t* loop = nullptr;
  napi_get_uv_event_loop(env, &loop);
  if (!watch.running) {
    uv_check_init(loop, &watch.handle);
    v8::Isolate::GetCurrent()->AddGCPrologueCallback(OnCollectionBegin, loop);
    v8::Isolate::GetCurrent()->AddGCEpilogueCallback(OnCollectionEnd, loop);
  }
  watch.running = true;
  watch.turns = watch.longest_held_ns = watch.longest_wall_ns = watch.longest_collection_ns = 0;
  watch.in_turn = {};
  watch.last = Now(loop);
  uv_check_start(&watch.handle, OnTurn);
  uv_unref(reinterpret_cast<uv_handle_t*>(&watch.handle));
  return nullptr;
}

// stop(): [longest stretch our code held the loop, longest busy stretch by the wall clock, longest collection, all in ns,
// turns]
napi_value Stop(napi_env env, napi_callback_info) {
  uv_check_stop(&watch.handle);
  napi_value result = nullptr;
  const std::uint64_t values[] = {watch.longest_held_ns, watch.longest_wall_ns, watch.longest_collection_ns, watch.turns};
  napi_create_array_with_length(env, std::size(values), &result);
  for (std::uint32_t index = 0; index < std::size(values); ++index) {
    napi_value value = nullptr;
    napi_create_double(env, static_cast<double>(values[index]), &value);
    napi_set_element(env, result, index, value);
  }
  return result;
}

napi_value Init(napi_env env, napi_value exports) {
  napi_value start = nullptr;
  napi_value stop = nullptr;
  napi_create_function(env, "start", NAPI_AUTO_LENGTH, Start, nullptr, &start);
  napi_create_function(env, "stop", NAPI_AUTO_LENGTH, Stop, nullptr, &stop);
  napi_set_named_property(env, exports, "start", start);
  napi_set_named_property(env, exports, "stop", stop);
  return exports;
}

}  // namespace

NAPI_MODULE(NODE_GYP_MODULE_NAME, Init)
