// An open model: the weights, the vocabulary and the sessions that use them.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>

#include "abi/error.h"
#include "llama.h"
#include "options.h"

struct skippy_session;

namespace mesh::llama {

struct ModelDeleter {
  void operator()(llama_model* model) const noexcept { llama_model_free(model); }
};
struct ContextDeleter {
  void operator()(llama_context* context) const noexcept { llama_free(context); }
};
using ModelHandle = std::unique_ptr<llama_model, ModelDeleter>;
using ContextHandle = std::unique_ptr<llama_context, ContextDeleter>;

// Shared by a model and its sessions, so that a session which outlives its model finds an empty state and not freed memory.
struct ModelState {
  // Guards everything below but the weights themselves, which nobody changes while the model is open.
  std::mutex mutex;
  // Set before the free of the model waits for the calls that run: from then on none begins, so that a session whose calls
  // follow each other without a pause cannot keep the free waiting.
  std::atomic<bool> freeing{false};
  ModelHandle model;
  llama_context_params context_params{};
  // Made by the open, which must know that a context fits; the first session takes it.
  ContextHandle first_context;
  std::set<skippy_session*> sessions;
};

// The open model, or a Failure when it was freed. `mutex` must be held, or a session's operation must run.
llama_model* OpenModelOf(const ModelState& state);

// A new context of the model. Throws Failure and reports exhausted memory.
ContextHandle NewContext(llama_model* model, const llama_context_params& params);

}  // namespace mesh::llama

struct skippy_model {
  std::shared_ptr<mesh::llama::ModelState> state = std::make_shared<mesh::llama::ModelState>();

  // How events name this model: its address, opaque to the host.
  uint64_t id() const noexcept { return reinterpret_cast<uint64_t>(this); }
};
