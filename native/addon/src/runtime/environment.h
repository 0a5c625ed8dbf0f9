#pragma once

#include <node_api.h>
#include <uv.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/lane.h"
#include "runtime/operation.h"

namespace mesh::runtime {

// One Node environment: the main thread's or a worker's. Finished calls come back to it through one wake handle of its own,
// which keeps the process alive exactly while calls are on their way. (Events have none: they are drained by a timer.) When
// the environment ends, it is taken out first, under the lock that every completion takes, so that no other thread can
// touch its loop afterwards; the calls themselves run on and their results are dropped.
class Environment : public std::enable_shared_from_this<Environment> {
 public:
  // Called once for every environment that loads the addon. Null when the environment cannot have one.
  static std::shared_ptr<Environment> Attach(napi_env env);
  explicit Environment(napi_env env) : env_(env) {}
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // Puts the call on the lane; the promise is settled here. Null when the environment is on its way out.
  napi_value Start(const std::shared_ptr<Operation>& operation, Lane& lane);

  // A call has ended. Any thread.
  void Complete(std::shared_ptr<Operation> operation) noexcept;

 private:
  static void OnWake(uv_async_t* handle);
  static void OnCleanup(napi_async_cleanup_hook_handle handle, void* data);
  void Deliver();
  void Leave();

  const napi_env env_;
  napi_async_context context_ = nullptr;
  // What has not been settled yet. This thread alone.
  std::unordered_map<Operation*, std::shared_ptr<Operation>> outstanding_;
  std::mutex mutex_;
  // Null once the environment has ended.
  uv_async_t* wake_ = nullptr;
  std::vector<std::shared_ptr<Operation>> completed_;
};

}  // namespace mesh::runtime
