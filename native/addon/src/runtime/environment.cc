#include "runtime/environment.h"

#include "runtime/process_exit.h"
#include "runtime/reporter.h"

namespace mesh::runtime {

namespace {

// What the wake handle points at. It goes away with the handle, in its own close callback.
struct Wake {
  uv_async_t handle{};
  std::shared_ptr<Environment> environment;
  napi_async_cleanup_hook_handle cleanup = nullptr;
};

}  // namespace

std::shared_ptr<Environment> Environment::Attach(napi_env env) {
  uv_loop_t* loop = nullptr;
  if (napi_get_uv_event_loop(env, &loop) != napi_ok) return nullptr;
  auto environment = std::make_shared<Environment>(env);
  auto* const wake = new Wake{{}, environment, nullptr};
  if (uv_async_init(loop, &wake->handle, OnWake) != 0) {
    delete wake;
    return nullptr;
  }
  wake->handle.data = wake;
  uv_unref(reinterpret_cast<uv_handle_t*>(&wake->handle));
  environment->wake_ = &wake->handle;
  napi_value name = nullptr;
  napi_create_string_utf8(env, "mesh:runtime", NAPI_AUTO_LENGTH, &name);
  napi_async_init(env, nullptr, name, &environment->context_);
  napi_add_async_cleanup_hook(env, OnCleanup, wake, &wake->cleanup);
  return environment;
}

napi_value Environment::Start(const std::shared_ptr<Operation>& operation, Lane& lane) {
  napi_deferred deferred = nullptr;
  napi_value promise = nullptr;
  if (wake_ == nullptr || napi_create_promise(env_, &deferred, &promise) != napi_ok) return nullptr;
  operation->SetDeferred(deferred);
  operation->SetEnvironment(shared_from_this());
  if (outstanding_.empty()) uv_ref(reinterpret_cast<uv_handle_t*>(wake_));
  outstanding_.emplace(operation.get(), operation);
  lane.Post(operation);
  return promise;
}

void Environment::Complete(std::shared_ptr<Operation> operation) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (wake_ == nullptr) return;
  completed_.push_back(std::move(operation));
  uv_async_send(wake_);
}

void Environment::OnWake(uv_async_t* handle) {
  // A reference of its own: the environment may end in the middle, inside the callbacks of a promise.
  const std::shared_ptr<Environment> environment = static_cast<Wake*>(handle->data)->environment;
  environment->Deliver();
}

void Environment::Deliver() {
  std::vector<std::shared_ptr<Operation>> completed;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    completed.swap(completed_);
  }
  napi_handle_scope handles = nullptr;
  napi_callback_scope callbacks = nullptr;
  napi_value resource = nullptr;
  if (completed.empty() || napi_open_handle_scope(env_, &handles) != napi_ok) return;
  napi_create_object(env_, &resource);
  // Promise reactions run when this scope is closed. In an environment that is being terminated every one of these calls
  // fails with a status and does nothing.
  napi_open_callback_scope(env_, resource, context_, &callbacks);
  for (const std::shared_ptr<Operation>& operation : completed) {
    outstanding_.erase(operation.get());
    if (napi_value result = operation->Result(env_); result != nullptr) {
      napi_resolve_deferred(env_, operation->deferred(), result);
    }
  }
  if (outstanding_.empty() && wake_ != nullptr) uv_unref(reinterpret_cast<uv_handle_t*>(wake_));
  if (callbacks != nullptr) napi_close_callback_scope(env_, callbacks);
  napi_close_handle_scope(env_, handles);
}

void Environment::OnCleanup(napi_async_cleanup_hook_handle, void* data) {
  auto* const wake = static_cast<Wake*>(data);
  wake->environment->Leave();
  uv_close(reinterpret_cast<uv_handle_t*>(&wake->handle), [](uv_handle_t* handle) {
    auto* const closed = static_cast<Wake*>(handle->data);
    napi_remove_async_cleanup_hook(closed->cleanup);
    delete closed;
  });
}

void Environment::Leave() {
  std::vector<std::shared_ptr<Operation>> undelivered;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    wake_ = nullptr;
    undelivered.swap(completed_);
  }
  // Nobody waits for these any more. They free what they made themselves, on their own threads.
  for (const auto& [pointer, operation] : outstanding_) operation->Cancel();
  outstanding_.clear();
  Reporter::Get().EnvironmentEnded(this);
  if (context_ != nullptr) napi_async_destroy(env_, context_);
  context_ = nullptr;
}

}  // namespace mesh::runtime
