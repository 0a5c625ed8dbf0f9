#include "cancel.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "mesh_ext.h"
#include "session.h"

namespace mesh::llama {

namespace {

struct OpenRegistry {
  std::mutex mutex;
  std::vector<OpenCancellation*> open;
};

// Never destroyed: the host may cancel while the process runs its exit handlers.
OpenRegistry& Registry() {
  static OpenRegistry& registry = *new OpenRegistry;
  return registry;
}

}  // namespace

OpenCancellation::OpenCancellation(const void* key) : key_(key) {
  if (key_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(Registry().mutex);
  Registry().open.push_back(this);
}

OpenCancellation::~OpenCancellation() {
  if (key_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(Registry().mutex);
  auto& open = Registry().open;
  open.erase(std::remove(open.begin(), open.end(), this), open.end());
}

}  // namespace mesh::llama

extern "C" int32_t mesh_cancel_open_v1(const void* reporter_user_data) noexcept {
  if (reporter_user_data == nullptr) return MESH_CANCEL_NOT_RUNNING;
  mesh::llama::OpenRegistry& registry = mesh::llama::Registry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  bool found = false;
  for (mesh::llama::OpenCancellation* open : registry.open) {
    if (open->key() != reporter_user_data) continue;
    open->Request();
    found = true;
  }
  return found ? MESH_CANCEL_REQUESTED : MESH_CANCEL_NOT_RUNNING;
}

extern "C" int32_t mesh_cancel_session_v1(struct skippy_session* session) noexcept {
  if (session == nullptr) return MESH_CANCEL_NOT_RUNNING;
  return session->cancellation.Request() ? MESH_CANCEL_REQUESTED : MESH_CANCEL_NOT_RUNNING;
}
