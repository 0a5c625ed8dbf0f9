// Freeing a model. Its sessions should be gone; those that are not are drained and freed with it, on the record.

#include "events/families.h"
#include "model.h"
#include "session.h"

namespace mesh::llama {

llama_model* OpenModelOf(const ModelState& state) {
  if (state.model == nullptr) {
    throw Failure(SKIPPY_STATUS_RUNTIME_ERROR, "the model of this session was freed before the session");
  }
  return state.model.get();
}

namespace {

// Takes the contexts away from the live sessions. Waiting for a session's mutex lets its running call end first; the
// session objects stay, empty, until their owners free them.
void FreeSessions(ModelState& state, uint64_t model_id) {
  if (state.sessions.empty()) return;
  const uint64_t live = state.sessions.size();
  EmitUnload(SKIPPY_EVENT_KIND_UNLOAD_SESSION_DRAINING, model_id, live);
  for (skippy_session* session : state.sessions) {
    const std::lock_guard<std::mutex> operation(session->operation);
    session->context.reset();
  }
  state.sessions.clear();
  EmitUnload(SKIPPY_EVENT_KIND_UNLOAD_FORCED, model_id, live);
}

}  // namespace

}  // namespace mesh::llama

extern "C" int32_t skippy_model_free(skippy_model* model, skippy_error** out_error) noexcept {
  return mesh::llama::Guarded(out_error, [&] {
    if (model == nullptr) return;
    const uint64_t id = model->id();
    mesh::llama::EmitUnload(SKIPPY_EVENT_KIND_UNLOAD_STARTED, id, 0);
    {
      mesh::llama::ModelState& state = *model->state;
      const std::lock_guard<std::mutex> lock(state.mutex);
      state.freeing.store(true);
      mesh::llama::FreeSessions(state, id);
      state.first_context.reset();
      state.model.reset();
    }
    // Before the delete: the address is the identity, and the next model may get the same one.
    mesh::llama::EmitUnload(SKIPPY_EVENT_KIND_UNLOAD_COMPLETED, id, 0);
    delete model;
  });
}
