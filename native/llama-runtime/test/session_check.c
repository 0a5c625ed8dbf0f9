/*
 * What a session promises: sampling by every option, trimming, all or nothing, bad arguments, two sessions at once.
 *
 *   session_check LIBRARY... -- MODEL
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>

#include "load.h"

#define STEPS 12

static skippy_model* model;

static skippy_session* create(void) {
  RESOLVE(skippy_session_create);
  skippy_session* session = NULL;
  CHECK(p_skippy_session_create(model, &session, NULL) == SKIPPY_STATUS_OK && session != NULL);
  return session;
}

static int32_t step(skippy_session* session, int32_t token, const skippy_sampling_config* sampling, int32_t* next) {
  RESOLVE(skippy_decode_step_sampled);
  size_t written = 7;
  const int32_t status = p_skippy_decode_step_sampled(session, token, sampling, NULL, 0, NULL, 0, &written, next, NULL);
  if (status == SKIPPY_STATUS_OK) CHECK(written == 0);
  return status;
}

static void reset(skippy_session* session) {
  RESOLVE(skippy_session_reset);
  CHECK(p_skippy_session_reset(session, NULL) == SKIPPY_STATUS_OK);
}

/* Decodes STEPS tokens from a fresh start. */
static void run(skippy_session* session, const skippy_sampling_config* sampling, int32_t* out) {
  reset(session);
  int32_t token = 1;
  for (int i = 0; i < STEPS; i++) {
    CHECK(step(session, token, sampling, &out[i]) == SKIPPY_STATUS_OK);
    token = out[i];
  }
}

static int same(const int32_t* a, const int32_t* b) { return memcmp(a, b, STEPS * sizeof *a) == 0; }

static void sampling(void) {
  skippy_session* session = create();
  int32_t greedy[STEPS], other[STEPS], again[STEPS];
  run(session, NULL, greedy);

  skippy_sampling_config config;
  memset(&config, 0, sizeof config);
  run(session, &config, other);
  CHECK(same(greedy, other)); /* temperature 0 is greedy */

  config.temperature = 1.5f;
  config.seed = 7;
  run(session, &config, other);
  run(session, &config, again);
  CHECK(same(other, again)); /* the same seed says the same */
  CHECK(!same(greedy, other));
  config.seed = 8;
  run(session, &config, again);
  CHECK(!same(other, again));

  config.top_k = 1;
  run(session, &config, other);
  CHECK(same(greedy, other)); /* one candidate is the most probable one */
  config.top_k = 0;
  config.top_p = 0.000001f;
  run(session, &config, other);
  CHECK(same(greedy, other));
  config.top_p = 0;
  config.min_p = 1;
  run(session, &config, other);
  CHECK(same(greedy, other));

  memset(&config, 0, sizeof config);
  config.logit_bias_count = 1;
  config.logit_bias[0].token = 42;
  config.logit_bias[0].bias = 1000;
  run(session, &config, other);
  for (int i = 0; i < STEPS; i++) CHECK(other[i] == 42);
  config.logit_bias[0].token = greedy[0];
  config.logit_bias[0].bias = -INFINITY;
  run(session, &config, other);
  for (int i = 0; i < STEPS; i++) CHECK(other[i] != greedy[0]);

  /* A penalty no logit outweighs: every token is new, the ones that were fed included. */
  memset(&config, 0, sizeof config);
  config.penalty_last_n = -1;
  config.presence_penalty = 10000;
  run(session, &config, other);
  for (int i = 0; i < STEPS; i++) {
    CHECK(other[i] != 1);
    for (int j = 0; j < i; j++) CHECK(other[i] != other[j]);
  }
  RESOLVE(skippy_session_free);
  CHECK(p_skippy_session_free(session, NULL) == SKIPPY_STATUS_OK);
}

static void refuse(skippy_session* session, const skippy_sampling_config* config) {
  RESOLVE(skippy_session_position);
  int32_t next = -1;
  reset(session);
  CHECK(step(session, 1, config, &next) == SKIPPY_STATUS_INVALID_ARGUMENT && next == -1);
  CHECK(p_skippy_session_position(session) == 0); /* refused before anything was evaluated */
}

static void refused_sampling(void) {
  skippy_session* session = create();
  skippy_sampling_config good, bad;
  memset(&good, 0, sizeof good);
  good.temperature = 1;
#define REFUSE(field, value) bad = good, bad.field = (value), refuse(session, &bad)
  REFUSE(temperature, NAN);
  REFUSE(top_p, 1.5f);
  REFUSE(top_p, -0.5f);
  REFUSE(min_p, 2);
  REFUSE(min_p, NAN);
  REFUSE(presence_penalty, INFINITY);
  REFUSE(frequency_penalty, NAN);
  REFUSE(repeat_penalty, -1);
  REFUSE(penalty_last_n, -2);
  REFUSE(logit_bias_count, 257);
  good.logit_bias_count = 1;
  REFUSE(logit_bias[0].token, -1);
  REFUSE(logit_bias[0].token, 1 << 30);
  REFUSE(logit_bias[0].bias, NAN);
#undef REFUSE
  RESOLVE(skippy_session_free);
  CHECK(p_skippy_session_free(session, NULL) == SKIPPY_STATUS_OK);
}

static void trimming(void) {
  RESOLVE(skippy_trim_session);
  RESOLVE(skippy_session_position);
  RESOLVE(skippy_session_batch_size);
  skippy_session* session = create();
  CHECK(p_skippy_session_batch_size(session) > 0);
  int32_t first[STEPS], token = 0;
  run(session, NULL, first);
  CHECK(p_skippy_session_position(session) == STEPS);
  CHECK(p_skippy_trim_session(session, STEPS + 1, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_trim_session(session, UINT64_MAX, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_session_position(session) == STEPS);
  CHECK(p_skippy_trim_session(session, 5, NULL) == SKIPPY_STATUS_OK);
  CHECK(p_skippy_session_position(session) == 5);
  /* What was forgotten is decoded again to the same end. */
  for (int i = 5; i < STEPS; i++) {
    CHECK(step(session, first[i - 1], NULL, &token) == SKIPPY_STATUS_OK);
    CHECK(token == first[i]);
  }
  RESOLVE(skippy_session_free);
  CHECK(p_skippy_session_free(session, NULL) == SKIPPY_STATUS_OK);
}

/* More tokens than the context has: refused, and the session is where it was, with what it knew. */
static void all_or_nothing(void) {
  RESOLVE(skippy_prefill_chunk);
  RESOLVE(skippy_session_position);
  skippy_session* session = create();
  enum { MANY = 5000 };
  static int32_t tokens[MANY];
  for (int i = 0; i < MANY; i++) tokens[i] = 3 + i % 250;
  int32_t first[STEPS], token = 0;
  run(session, NULL, first);
  CHECK(p_skippy_prefill_chunk(session, tokens, MANY, NULL, 0, NULL, 0, NULL, NULL) == SKIPPY_STATUS_RUNTIME_ERROR);
  CHECK(p_skippy_session_position(session) == STEPS);
  tokens[9] = 1 << 30;
  CHECK(p_skippy_prefill_chunk(session, tokens, 10, NULL, 0, NULL, 0, NULL, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_prefill_chunk(session, tokens, 0, NULL, 0, NULL, 0, NULL, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_prefill_chunk(session, NULL, 3, NULL, 0, NULL, 0, NULL, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_prefill_chunk(session, tokens, 3, tokens, 4, NULL, 0, NULL, NULL) == SKIPPY_STATUS_UNSUPPORTED);
  CHECK(p_skippy_prefill_chunk(NULL, tokens, 3, NULL, 0, NULL, 0, NULL, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_session_position(session) == STEPS);
  CHECK(step(session, -1, NULL, &token) == SKIPPY_STATUS_INVALID_ARGUMENT);

  skippy_session* fresh = create();
  int32_t expected[STEPS], next = 0;
  run(fresh, NULL, expected);
  CHECK(step(fresh, expected[STEPS - 1], NULL, &next) == SKIPPY_STATUS_OK);
  CHECK(step(session, first[STEPS - 1], NULL, &token) == SKIPPY_STATUS_OK);
  CHECK(token == next);
  RESOLVE(skippy_session_free);
  CHECK(p_skippy_session_free(fresh, NULL) == SKIPPY_STATUS_OK);
  CHECK(p_skippy_session_free(session, NULL) == SKIPPY_STATUS_OK);
}

static void* run_alone(void* out) {
  skippy_session* session = create();
  for (int i = 0; i < 5; i++) run(session, NULL, out);
  RESOLVE(skippy_session_free);
  CHECK(p_skippy_session_free(session, NULL) == SKIPPY_STATUS_OK);
  return NULL;
}

static void two_at_once(void) {
  int32_t a[STEPS], b[STEPS];
  pthread_t one = 0;
  pthread_t two = 0;
  CHECK(pthread_create(&one, NULL, run_alone, a) == 0 && pthread_create(&two, NULL, run_alone, b) == 0);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  CHECK(same(a, b));
}

int main(int argc, char** argv) {
  const int at = load(argc, argv);
  CHECK(at < argc);
  RESOLVE(skippy_model_open);
  RESOLVE(skippy_model_free);
  /* Small batches, so that a long call consists of several and can fail after some of them. */
  skippy_runtime_config config = skippy_runtime_config_defaults();
  config.n_batch = 64;
  config.n_ubatch = 32;
  CHECK(p_skippy_model_open(argv[at], &config, &model, NULL) == SKIPPY_STATUS_OK);
  sampling();
  refused_sampling();
  trimming();
  all_or_nothing();
  two_at_once();
  CHECK(p_skippy_model_free(model, NULL) == SKIPPY_STATUS_OK);
  printf("ok\n");
  return 0;
}
