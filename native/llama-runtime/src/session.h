// A session: one sequence of tokens in a context of its own.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "cancel.h"
#include "kv_pressure.h"
#include "model.h"
#include "sampling.h"

struct skippy_session {
  skippy_session(std::shared_ptr<mesh::llama::ModelState> owner, mesh::llama::ContextHandle handle);

  uint64_t id() const noexcept { return reinterpret_cast<uint64_t>(this); }

  const std::shared_ptr<mesh::llama::ModelState> state;
  // Most tokens llama.cpp takes at once; longer calls are split.
  const int32_t batch;
  // Held by the call that runs. The contract allows one at a time; freeing the model waits for it here.
  std::mutex operation;
  // Null after the model was freed. Only for the holder of `operation`.
  mesh::llama::ContextHandle context;
  std::atomic<int32_t> position{0};
  // The tokens evaluated so far, as many as position says: what repetition penalties look back on.
  std::vector<llama_token> history;
  mesh::llama::Sampler sampler;
  mesh::llama::KvPressure pressure;
  mesh::llama::CallCancellation cancellation;
};

namespace mesh::llama {

// Evaluates tokens at the session's position: all of them, or the session stays as it was. The session's mutex is held.
// Throws Failure: INVALID_ARGUMENT for a token outside the vocabulary, RUNTIME_ERROR when the context is full, the call
// was cancelled or the computation failed.
void Evaluate(skippy_session& session, const int32_t* tokens, std::size_t count);

// Keeps the first `tokens` tokens and forgets the others. The session's mutex is held.
void Rewind(skippy_session& session, int32_t tokens);

}  // namespace mesh::llama
