#include "runtime/queue_face.h"

#include <cstring>

#include "runtime/arguments.h"
#include "runtime/js_value.h"

namespace mesh::runtime {

namespace {

constexpr std::int64_t kQueueCapacityMax = 65'536;

}  // namespace

napi_value CreateQueue(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::int64_t capacity = 0;
  if (!arguments.Read(0, capacity) || capacity < 1 || capacity > kQueueCapacityMax) {
    return ThrowWrongArgument(env, "expected a capacity from 1 to 65536");
  }
  return WrapHandle(env, std::make_shared<PooledQueue>(static_cast<std::size_t>(capacity)));
}

napi_value DrainQueue(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::shared_ptr<PooledQueue> queue;
  ByteSpan buffer;
  std::int64_t records_max = 0;
  if (!arguments.Read(0, queue) || !arguments.Read(1, buffer) || !arguments.Read(2, records_max) || records_max < 0 ||
      static_cast<std::uint64_t>(records_max) > buffer.length / sizeof(EventRecord)) {
    return ThrowWrongArgument(env, "expected a queue and a buffer with room for the records");
  }
  return JsNumber(env, static_cast<double>(queue->queue().Drain(buffer.data, static_cast<std::size_t>(records_max))));
}

napi_value ReadQueueCounters(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::shared_ptr<PooledQueue> queue;
  ByteSpan into;
  if (!arguments.Read(0, queue) || !arguments.Read(1, into) || into.length != sizeof(Counters)) {
    return ThrowWrongArgument(env, "expected a queue and a BigUint64Array for its counters");
  }
  const Counters counters = queue->queue().Read();
  std::memcpy(into.data, counters.data(), sizeof counters);
  return JsUndefined(env);
}

napi_value CloseQueue(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::shared_ptr<PooledQueue> queue;
  if (!arguments.Read(0, queue)) return ThrowWrongArgument(env, "expected a queue");
  queue->Close();
  return JsUndefined(env);
}

}  // namespace mesh::runtime
