// Watches one event loop from inside: how long each of its turns kept it busy. The time that the loop waits for events is
// taken off by libuv's own metric, so what is left is JavaScript, the addon and the engine. A turn in which the kernel gave
// the processor to somebody else is measured by the thread's own clock instead: what other processes do is not what our code
// did.
#include <node_api.h>
#include <sys/resource.h>
#include <uv.h>

#include <cstdint>
#include <ctime>

namespace {

struct Turn {
  std::uint64_t wall_ns;
  std::uint64_t waited_ns;
  std::uint64_t cpu_ns;
  std::int64_t preemptions;
};

struct Watch {
  uv_check_t handle;
  bool running;
  Turn last;
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
          static_cast<std::uint64_t>(cpu.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(cpu.tv_nsec), usage.ru_nivcsw};
}

// Called once a turn, after the events were handled.
void OnTurn(uv_check_t* handle) {
  const Turn now = Now(handle->loop);
  const std::uint64_t passed = now.wall_ns - watch.last.wall_ns;
  const std::uint64_t waited = now.waited_ns - watch.last.waited_ns;
  const std::uint64_t busy = passed > waited ? passed - waited : 0;
  const std::uint64_t held = now.preemptions == watch.last.preemptions ? busy : now.cpu_ns - watch.last.cpu_ns;
  if (busy > watch.longest_wall_ns) watch.longest_wall_ns = busy;
  if (held > watch.longest_held_ns) watch.longest_held_ns = held;
  watch.turns += 1;
  watch.last = now;
}

// start(): begins to watch the loop of this environment
napi_value Start(napi_env env, napi_callback_info) {
  uv_loop_t* loop = nullptr;
  napi_get_uv_event_loop(env, &loop);
  if (!watch.running) uv_check_init(loop, &watch.handle);
  watch.running = true;
  watch.turns = watch.longest_held_ns = watch.longest_wall_ns = 0;
  watch.last = Now(loop);
  uv_check_start(&watch.handle, OnTurn);
  uv_unref(reinterpret_cast<uv_handle_t*>(&watch.handle));
  return nullptr;
}

// stop(): [longest stretch our code held the loop, longest busy stretch by the wall clock, both in ns, turns]
napi_value Stop(napi_env env, napi_callback_info) {
  uv_check_stop(&watch.handle);
  napi_value result = nullptr;
  napi_create_array_with_length(env, 3, &result);
  const std::uint64_t values[] = {watch.longest_held_ns, watch.longest_wall_ns, watch.turns};
  for (std::uint32_t index = 0; index < 3; ++index) {
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
