#include "sampling.h"

#include <cmath>
#include <cstring>

#include "abi/error.h"

namespace mesh::llama {

namespace {

int32_t VocabularySize(const llama_context* context) {
  return llama_vocab_n_tokens(llama_model_get_vocab(llama_get_model(context)));
}

void Require(bool condition, const char* summary) {
  if (!condition) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, summary);
}

// Values from the caller; llama.cpp would assert on some of them and end the process.
void Check(const skippy_sampling_config& config, int32_t vocabulary) {
  Require(std::isfinite(config.temperature), "temperature is not a finite number");
  Require(config.top_p >= 0.0F && config.top_p <= 1.0F, "top_p is outside 0 to 1");
  Require(config.min_p >= 0.0F && config.min_p <= 1.0F, "min_p is outside 0 to 1");
  Require(std::isfinite(config.presence_penalty), "presence_penalty is not a finite number");
  Require(std::isfinite(config.frequency_penalty), "frequency_penalty is not a finite number");
  Require(std::isfinite(config.repeat_penalty) && config.repeat_penalty >= 0.0F,
          "repeat_penalty is negative or not a finite number");
  Require(config.penalty_last_n >= -1, "penalty_last_n is below -1");
  Require(config.logit_bias_count <= SKIPPY_SAMPLING_LOGIT_BIAS_MAX, "logit_bias_count is above 256");
  for (uint32_t index = 0; index < config.logit_bias_count; ++index) {
    const skippy_logit_bias& bias = config.logit_bias[index];
    Require(bias.token >= 0 && bias.token < vocabulary, "a logit bias names a token outside the vocabulary");
    Require(!std::isnan(bias.bias), "a logit bias is not a number");
  }
}

// A struct that was zeroed means "off" for each of them: 0 would be invalid or would erase every candidate.
float RepeatPenalty(const skippy_sampling_config& config) {
  return config.repeat_penalty == 0.0F ? 1.0F : config.repeat_penalty;
}

bool HasPenalties(const skippy_sampling_config& config) {
  return config.penalty_last_n != 0 &&
         (RepeatPenalty(config) != 1.0F || config.frequency_penalty != 0.0F || config.presence_penalty != 0.0F);
}

}  // namespace

void RequireSampling(const skippy_sampling_config* config, const llama_context* context) {
  if (config != nullptr) Check(*config, VocabularySize(context));
}

void Sampler::Build(const skippy_sampling_config& config, int32_t vocabulary, int32_t window) {
  chain_.reset(llama_sampler_chain_init(llama_sampler_chain_default_params()));
  const auto add = [this](llama_sampler* sampler) { llama_sampler_chain_add(chain_.get(), sampler); };
  if (config.logit_bias_count > 0) {
    std::vector<llama_logit_bias> biases;
    for (uint32_t index = 0; index < config.logit_bias_count; ++index) {
      biases.push_back({config.logit_bias[index].token, config.logit_bias[index].bias});
    }
    add(llama_sampler_init_logit_bias(vocabulary, static_cast<int32_t>(biases.size()), biases.data()));
  }
  if (HasPenalties(config)) {
    // -1 means the whole context, and no session remembers more than that.
    const bool whole = config.penalty_last_n < 0 || config.penalty_last_n > window;
    add(llama_sampler_init_penalties(vocabulary, whole ? window : config.penalty_last_n, RepeatPenalty(config),
                                     config.frequency_penalty, config.presence_penalty));
  }
  if (config.temperature <= 0.0F) {
    add(llama_sampler_init_greedy());
    return;
  }
  if (config.top_k > 0) add(llama_sampler_init_top_k(config.top_k));
  if (config.top_p > 0.0F && config.top_p < 1.0F) add(llama_sampler_init_top_p(config.top_p, 1));
  if (config.min_p > 0.0F) add(llama_sampler_init_min_p(config.min_p, 1));
  add(llama_sampler_init_temp(config.temperature));
  add(llama_sampler_init_dist(config.seed));
}

void Sampler::Prepare(const skippy_sampling_config& config, const llama_context* context,
                      const std::vector<llama_token>& history) {
  // Compared as bytes: the struct has no padding, and a difference that means nothing only costs a new chain.
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c)
  const bool same = chain_ != nullptr && std::memcmp(&config, &config_, sizeof(config)) == 0;
  if (!same) {
    Build(config, VocabularySize(context), static_cast<int32_t>(llama_n_ctx(context)));
    config_ = config;
    seen_ = 0;
  }
  for (; seen_ < history.size(); ++seen_) llama_sampler_accept(chain_.get(), history[seen_]);
}

llama_token Sampler::Next(llama_context* context, const skippy_sampling_config* config,
                          const std::vector<llama_token>& history) {
  const float* logits = llama_get_logits_ith(context, -1);
  if (logits == nullptr) throw Failure(SKIPPY_STATUS_RUNTIME_ERROR, "the model gave no logits to choose a token from");
  const int32_t vocabulary = VocabularySize(context);
  const skippy_sampling_config greedy{};
  Prepare(config == nullptr ? greedy : *config, context, history);

  candidates_.resize(static_cast<std::size_t>(vocabulary));
  for (int32_t token = 0; token < vocabulary; ++token) candidates_[token] = {token, logits[token], 0.0F};
  llama_token_data_array array = {candidates_.data(), candidates_.size(), -1, false};
  llama_sampler_apply(chain_.get(), &array);
  if (array.selected < 0 || static_cast<std::size_t>(array.selected) >= array.size) {
    throw Failure(SKIPPY_STATUS_RUNTIME_ERROR, "the sampler chose no token");
  }
  return array.data[array.selected].id;
}

}  // namespace mesh::llama
