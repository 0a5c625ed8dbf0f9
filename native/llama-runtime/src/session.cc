#include "session.h"

#include <algorithm>
#include <utility>

#include "events/families.h"
#include "log.h"

skippy_session::skippy_session(std::shared_ptr<mesh::llama::ModelState> owner, mesh::llama::ContextHandle handle)
    : state(std::move(owner)),
      batch(static_cast<int32_t>(llama_n_batch(handle.get()))),
      context(std::move(handle)),
      pressure(id(), llama_n_ctx(context.get())) {
  llama_set_abort_callback(
      context.get(), [](void* data) { return static_cast<mesh::llama::CallCancellation*>(data)->requested(); },
      &cancellation);
}

namespace mesh::llama {

namespace {

void RequireSession(const skippy_session* session) {
  if (session == nullptr) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the session is null");
}

// One call on a session, from its lock to its end. Throws Failure when the model is gone.
class RunningCall {
 public:
  explicit RunningCall(skippy_session& session) : session_(Open(session)), lock_(session.operation) {
    // It may have been freed while this call waited for the one before it.
    Open(session);
    session_.cancellation.Begin();
  }
  ~RunningCall() { session_.cancellation.End(); }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

 private:
  static skippy_session& Open(skippy_session& session) {
    if (session.state->freeing.load()) {
      throw Failure(SKIPPY_STATUS_RUNTIME_ERROR, "the model of this session was freed before the session");
    }
    return session;
  }

  skippy_session& session_;
  const std::lock_guard<std::mutex> lock_;
};

void RequireTokens(const skippy_session& session, const int32_t* tokens, std::size_t count) {
  if (tokens == nullptr || count == 0) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "no tokens were given");
  const llama_model* model = llama_get_model(session.context.get());
  const int32_t vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model));
  const bool known = std::all_of(tokens, tokens + count, [&](int32_t t) { return t >= 0 && t < vocabulary; });
  if (!known) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "a token is outside the vocabulary of the model");
}

// llama_decode's answers: 1 no room, 2 aborted, negative an error.
[[noreturn]] void FailDecode(skippy_session& session, int32_t answer, const LogCapture& log) {
  if (answer == 2 || session.cancellation.requested()) throw Failure::Cancelled("the call was cancelled");
  const bool full = answer == 1;
  const char* summary = full ? "the context of the session is full" : "llama.cpp failed to evaluate the tokens";
  if (full) session.pressure.Exhausted(static_cast<uint64_t>(session.position.load()));
  EmitDiagnostic(SKIPPY_EVENT_KIND_DIAGNOSTIC_RECOVERABLE_FAILURE, SKIPPY_EVENT_FAILURE_RUNTIME_ERROR, summary);
  throw Failure(SKIPPY_STATUS_RUNTIME_ERROR, summary, log.Reason());
}

// Activations travel between the stages of a split model; this runtime runs whole models.
void RefuseActivations(const void* input, std::size_t input_bytes, std::size_t* out_bytes) {
  if (input != nullptr && input_bytes > 0) {
    throw Failure(SKIPPY_STATUS_UNSUPPORTED, "activation input: this runtime runs whole models only");
  }
  if (out_bytes != nullptr) *out_bytes = 0;
}

}  // namespace

void Evaluate(skippy_session& session, const int32_t* tokens, std::size_t count) {
  RequireTokens(session, tokens, count);
  const LogCapture log;
  llama_context* context = session.context.get();
  const auto batch = static_cast<std::size_t>(session.batch);
  const int32_t before = session.position.load();
  for (std::size_t done = 0; done < count; done += batch) {
    // llama_batch_get_one borrows the array and takes it as mutable, though nothing writes to it.
    auto* chunk = const_cast<llama_token*>(tokens + done);
    const auto size = static_cast<int32_t>(std::min(batch, count - done));
    const int32_t answer = llama_decode(context, llama_batch_get_one(chunk, size));
    if (answer == 0) continue;
    // Earlier chunks, and on an abort parts of this one, are in the cache: all or nothing is the promise.
    llama_memory_seq_rm(llama_get_memory(context), 0, before, -1);
    FailDecode(session, answer, log);
  }
  session.history.insert(session.history.end(), tokens, tokens + count);
  session.position.store(static_cast<int32_t>(session.history.size()));
  session.pressure.Rose(session.history.size());
}

void Rewind(skippy_session& session, int32_t tokens) {
  if (!llama_memory_seq_rm(llama_get_memory(session.context.get()), 0, tokens, -1)) {
    throw Failure(SKIPPY_STATUS_UNSUPPORTED, "the memory of this model cannot forget only its last tokens");
  }
  session.history.resize(static_cast<std::size_t>(tokens));
  session.position.store(tokens);
  session.sampler.Forget();
}

}  // namespace mesh::llama

using mesh::llama::Failure;
using mesh::llama::Guarded;
using mesh::llama::RequireSession;
using mesh::llama::RunningCall;

extern "C" int32_t skippy_session_create(skippy_model* model, skippy_session** out_session,
                                         skippy_error** out_error) noexcept {
  return Guarded(out_error, [&] {
    if (out_session == nullptr) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the session has no place to go");
    *out_session = nullptr;
    if (model == nullptr) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the model is null");
    mesh::llama::ModelState& state = *model->state;
    const std::lock_guard<std::mutex> lock(state.mutex);
    mesh::llama::ContextHandle context = std::move(state.first_context);
    const bool fresh = context == nullptr;
    if (fresh) context = mesh::llama::NewContext(state.model.get(), state.context_params);
    auto session = std::make_unique<skippy_session>(model->state, std::move(context));
    state.sessions.insert(session.get());
    if (fresh) {
      mesh::llama::EmitKv(SKIPPY_EVENT_KIND_KV_INITIALIZED, session->id(), 0, llama_n_ctx(session->context.get()));
    }
    *out_session = session.release();
  });
}

extern "C" int32_t skippy_session_free(skippy_session* session, skippy_error** out_error) noexcept {
  return Guarded(out_error, [&] {
    if (session == nullptr) return;
    {
      // Also waits for a free of the model that is just draining this session.
      const std::lock_guard<std::mutex> lock(session->state->mutex);
      session->state->sessions.erase(session);
    }
    { const std::lock_guard<std::mutex> running(session->operation); }
    delete session;
  });
}

extern "C" int32_t skippy_session_reset(skippy_session* session, skippy_error** out_error) noexcept {
  return Guarded(out_error, [&] {
    RequireSession(session);
    const RunningCall call(*session);
    mesh::llama::Rewind(*session, 0);
    session->pressure.Fell(0, true);
  });
}

extern "C" int32_t skippy_trim_session(skippy_session* session, uint64_t tokens, skippy_error** out_error) noexcept {
  return Guarded(out_error, [&] {
    RequireSession(session);
    const RunningCall call(*session);
    const auto position = static_cast<uint64_t>(session->position.load());
    if (tokens > position) {
      throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "a session cannot be trimmed to more tokens than it has");
    }
    if (tokens == position) return;
    mesh::llama::Rewind(*session, static_cast<int32_t>(tokens));
    session->pressure.Fell(tokens, false);
  });
}

extern "C" int32_t skippy_session_position(const skippy_session* session) noexcept {
  return session == nullptr ? 0 : session->position.load();
}

extern "C" int32_t skippy_session_batch_size(const skippy_session* session) noexcept {
  return session == nullptr ? 0 : session->batch;
}

extern "C" int32_t skippy_prefill_chunk(skippy_session* session, const int32_t* tokens, size_t token_count,
                                        const void* input, size_t input_bytes, void*, size_t, size_t* out_output_bytes,
                                        skippy_error** out_error) noexcept {
  return Guarded(out_error, [&] {
    RequireSession(session);
    mesh::llama::RefuseActivations(input, input_bytes, out_output_bytes);
    const RunningCall call(*session);
    mesh::llama::Evaluate(*session, tokens, token_count);
  });
}

extern "C" int32_t skippy_decode_step_sampled(skippy_session* session, int32_t token, const skippy_sampling_config* sampling,
                                              const void* input, size_t input_bytes, void*, size_t, size_t* out_output_bytes,
                                              int32_t* out_predicted, skippy_error** out_error) noexcept {
  return Guarded(out_error, [&] {
    RequireSession(session);
    if (out_predicted == nullptr) {
      throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the predicted token has no place to go");
    }
    mesh::llama::RefuseActivations(input, input_bytes, out_output_bytes);
    const RunningCall call(*session);
    mesh::llama::RequireSampling(sampling, session->context.get());
    mesh::llama::Evaluate(*session, &token, 1);
    *out_predicted = session->sampler.Next(session->context.get(), sampling, session->history);
  });
}
