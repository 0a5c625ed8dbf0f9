#pragma once

#include <node_api.h>

#include "runtime/event_queue.h"
#include "runtime/handle.h"

namespace mesh::runtime {

template <>
struct HandleTag<PooledQueue> {
  static constexpr napi_type_tag kTag = {0x3b96a1d7e4f04c28ULL, 0xb15d0e7f92c6483aULL};
};

// createQueue(capacity), drainQueue(queue, buffer, recordsMax), readQueueCounters(queue, counters), closeQueue(queue).
// None of them waits, except that two drains of one queue take turns.
napi_value CreateQueue(napi_env env, napi_callback_info info);
napi_value DrainQueue(napi_env env, napi_callback_info info);
napi_value ReadQueueCounters(napi_env env, napi_callback_info info);
napi_value CloseQueue(napi_env env, napi_callback_info info);

}  // namespace mesh::runtime
