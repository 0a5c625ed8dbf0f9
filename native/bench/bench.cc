// The addon of the benches: producers on native threads that push into the addon's own ring, and beside them the way most
// addons take, one thread-safe-function call an event. Compiled by packages/bench, published by nobody.
#include <node_api.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "runtime/event_queue.h"
#include "runtime/record.h"
#include "runtime/record_ring.h"

using mesh::runtime::CheckEvent;
using mesh::runtime::CopyEvent;
using mesh::runtime::EventQueue;
using mesh::runtime::EventRecord;
using mesh::runtime::RecordRing;

namespace {

// Allocations by the code of this library, which holds the callback's whole work; counted while `counting` is set.
std::atomic<bool> counting{false};
std::atomic<std::uint64_t> allocations{0};

void CountAllocation() noexcept {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

extern "C" void* __real_malloc(std::size_t size);
extern "C" void* __wrap_malloc(std::size_t size) {
  CountAllocation();
  return __real_malloc(size);
}

void* operator new(std::size_t size) {
  CountAllocation();
  void* const block = __real_malloc(size == 0 ? 1 : size);
  if (block == nullptr) std::abort();
  return block;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace {

constexpr std::size_t kRingRecords = 1024;
constexpr char kDetail[] = "execution context ready";

skippy_runtime_event_v1 MakeEvent(std::uint64_t sequence) noexcept {
  skippy_runtime_event_v1 event{};
  event.abi_version = SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION;
  event.struct_size = sizeof event;
  event.category = SKIPPY_EVENT_CATEGORY_MODEL_OPEN;
  event.kind = SKIPPY_EVENT_KIND_MODEL_LOAD_PHASE_CHANGED;
  event.emitter = SKIPPY_EVENT_EMITTER_WORKER_THREAD;
  event.sequence = sequence;
  event.detail_ptr = kDetail;
  event.detail_len = sizeof kDetail - 1;
  event.numeric_summary_0 = sequence;
  return event;
}

// Starts `producers` threads that together deliver `total` events through `deliver`, which waits until each was taken.
template <typename Deliver>
std::vector<std::thread> StartProducers(std::uint32_t producers, std::uint32_t total, Deliver deliver) {
  std::vector<std::thread> threads;
  for (std::uint32_t index = 0; index < producers; ++index) {
    const std::uint32_t share = total / producers + (index < total % producers ? 1 : 0);
    threads.emplace_back([share, deliver] {
      for (std::uint32_t i = 1; i <= share; ++i) {
        const skippy_runtime_event_v1 event = MakeEvent(i);
        deliver(event);
      }
    });
  }
  return threads;
}

// -------- Node-API, as little as possible

std::uint32_t Uint32Argument(napi_env env, napi_value value) {
  std::uint32_t number = 0;
  if (napi_get_value_uint32(env, value, &number) != napi_ok) napi_throw_type_error(env, nullptr, "expected a number");
  return number;
}

struct Arguments {
  napi_value values[3];
  void* data;
};

Arguments GetArguments(napi_env env, napi_callback_info info) {
  Arguments arguments{};
  std::size_t count = 3;
  napi_get_cb_info(env, info, &count, arguments.values, nullptr, &arguments.data);
  return arguments;
}

// -------- the ring's way

struct RingRun {
  RecordRing ring{kRingRecords, RecordRing::TerminalCell::kNone};
  std::vector<std::thread> threads;
};

std::unique_ptr<RingRun> ring_run;

// startRing(producers, total)
napi_value StartRing(napi_env env, napi_callback_info info) {
  const Arguments arguments = GetArguments(env, info);
  ring_run = std::make_unique<RingRun>();
  RecordRing* const ring = &ring_run->ring;
  ring_run->threads = StartProducers(Uint32Argument(env, arguments.values[0]), Uint32Argument(env, arguments.values[1]),
                                     [ring](const skippy_runtime_event_v1& event) {
                                       while (!ring->TryPush(&event, CheckEvent(&event))) std::this_thread::yield();
                                     });
  return nullptr;
}

// drainRing(buffer, recordsMax): records drained
napi_value DrainRing(napi_env env, napi_callback_info info) {
  const Arguments arguments = GetArguments(env, info);
  void* data = nullptr;
  std::size_t length = 0;
  napi_get_typedarray_info(env, arguments.values[0], nullptr, &length, &data, nullptr, nullptr);
  const std::size_t room = length / sizeof(EventRecord);
  const std::size_t wanted = Uint32Argument(env, arguments.values[1]);
  const std::size_t drained = ring_run->ring.Drain(static_cast<std::uint8_t*>(data), wanted < room ? wanted : room);
  napi_value result = nullptr;
  napi_create_uint32(env, static_cast<std::uint32_t>(drained), &result);
  return result;
}

// joinRing()
napi_value JoinRing(napi_env, napi_callback_info) {
  for (std::thread& thread : ring_run->threads) thread.join();
  ring_run.reset();
  return nullptr;
}

// -------- one call an event: the peer

std::vector<std::thread> call_threads;

void CallWithBytes(napi_env env, napi_value callback, void*, void* data) {
  const std::unique_ptr<EventRecord> record(static_cast<EventRecord*>(data));
  if (env == nullptr) return;
  napi_value bytes = nullptr;
  napi_value receiver = nullptr;
  napi_get_undefined(env, &receiver);
  napi_create_buffer_copy(env, sizeof(EventRecord), record.get(), nullptr, &bytes);
  napi_call_function(env, receiver, callback, 1, &bytes, nullptr);
}

// startCalls(producers, total, callback): the callback gets the bytes of one record
napi_value StartCalls(napi_env env, napi_callback_info info) {
  const Arguments arguments = GetArguments(env, info);
  napi_value name = nullptr;
  napi_create_string_utf8(env, "bench", NAPI_AUTO_LENGTH, &name);
  napi_threadsafe_function function = nullptr;
  napi_create_threadsafe_function(env, arguments.values[2], nullptr, name, kRingRecords, 1, nullptr, nullptr, nullptr,
                                  CallWithBytes, &function);
  const std::uint32_t producers = Uint32Argument(env, arguments.values[0]);
  for (std::uint32_t index = 1; index < producers; ++index) napi_acquire_threadsafe_function(function);
  std::vector<std::thread> threads =
      StartProducers(producers, Uint32Argument(env, arguments.values[1]), [function](const skippy_runtime_event_v1& event) {
        auto record = std::make_unique<EventRecord>();
        CopyEvent(&event, CheckEvent(&event), *record);
        // A refused call is repeated, as a refused push is.
        while (napi_call_threadsafe_function(function, record.get(), napi_tsfn_nonblocking) == napi_queue_full) {
          std::this_thread::yield();
        }
        static_cast<void>(record.release());
      });
  call_threads.emplace_back([function, producers, joined = std::move(threads)]() mutable {
    for (std::thread& thread : joined) thread.join();
    for (std::uint32_t index = 0; index < producers; ++index) napi_release_threadsafe_function(function, napi_tsfn_release);
  });
  return nullptr;
}

// joinCalls()
napi_value JoinCalls(napi_env, napi_callback_info) {
  for (std::thread& thread : call_threads) thread.join();
  call_threads.clear();
  return nullptr;
}

// -------- the callback by itself

// callbackCost(events, full): [nanoseconds for all events, allocations]
napi_value CallbackCost(napi_env env, napi_callback_info info) {
  const Arguments arguments = GetArguments(env, info);
  const std::uint32_t events = Uint32Argument(env, arguments.values[0]);
  bool full = false;
  napi_get_value_bool(env, arguments.values[1], &full);
  EventQueue queue;
  queue.Begin(std::make_unique<RecordRing>(full ? 1 : events, RecordRing::TerminalCell::kNone));
  skippy_runtime_event_v1 event = MakeEvent(1);
  if (full) queue.Deliver(&event);
  allocations = 0;
  counting = true;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint32_t i = 0; i < events; ++i) {
    event.sequence = i;
    DeliverToQueue(&event, &queue);
  }
  const auto elapsed = std::chrono::steady_clock::now() - start;
  counting = false;
  napi_value result = nullptr;
  napi_value value = nullptr;
  napi_create_array_with_length(env, 2, &result);
  napi_create_double(env, std::chrono::duration<double, std::nano>(elapsed).count(), &value);
  napi_set_element(env, result, 0, value);
  napi_create_double(env, static_cast<double>(allocations.load()), &value);
  napi_set_element(env, result, 1, value);
  return result;
}

// countOneAllocation(): 1, if the counter works at all
napi_value CountOneAllocation(napi_env env, napi_callback_info) {
  allocations = 0;
  counting = true;
  // Called by its name and handed to the assembler: the compiler may leave out an allocation that it sees freed again.
  void* const block = ::operator new(1);
  asm volatile("" : : "r"(block) : "memory");
  counting = false;
  ::operator delete(block);
  napi_value result = nullptr;
  napi_create_double(env, static_cast<double>(allocations.load()), &result);
  return result;
}

napi_value Init(napi_env env, napi_value exports) {
  const struct {
    const char* name;
    napi_callback function;
  } functions[] = {{"startRing", StartRing},
                   {"drainRing", DrainRing},
                   {"joinRing", JoinRing},
                   {"startCalls", StartCalls},
                   {"joinCalls", JoinCalls},
                   {"callbackCost", CallbackCost},
                   {"countOneAllocation", CountOneAllocation}};
  for (const auto& [name, function] : functions) {
    napi_value value = nullptr;
    napi_create_function(env, name, NAPI_AUTO_LENGTH, function, nullptr, &value);
    napi_set_named_property(env, exports, name, value);
  }
  return exports;
}

}  // namespace

NAPI_MODULE(NODE_GYP_MODULE_NAME, Init)
