// Choosing the next token from the logits of the last evaluated one.
#pragma once

#include <memory>
#include <vector>

#include "llama.h"
#include "skippy.h"

namespace mesh::llama {

struct SamplerDeleter {
  void operator()(llama_sampler* sampler) const noexcept { llama_sampler_free(sampler); }
};

// Refuses values no sampler takes, before anything is evaluated. A null config is fine. Throws Failure INVALID_ARGUMENT.
void RequireSampling(const skippy_sampling_config* config, const llama_context* context);

// Keeps the sampler chain of a session between steps, because a seeded chain has a state. It is made anew when the
// config changes or the session goes back.
class Sampler {
 public:
  // The token after `history`. A null config means the most probable one. RequireSampling was called before.
  llama_token Next(llama_context* context, const skippy_sampling_config* config, const std::vector<llama_token>& history);
  // The session went back: what the chain remembers is no longer true.
  void Forget() noexcept { chain_.reset(); }

 private:
  void Prepare(const skippy_sampling_config& config, const llama_context* context, const std::vector<llama_token>& history);
  void Build(const skippy_sampling_config& config, int32_t vocabulary, int32_t window);

  std::unique_ptr<llama_sampler, SamplerDeleter> chain_;
  skippy_sampling_config config_{};
  // How many tokens of the history the chain has seen.
  std::size_t seen_ = 0;
  std::vector<llama_token_data> candidates_;
};

}  // namespace mesh::llama
