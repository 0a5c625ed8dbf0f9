/*
 * What a session promises: sampling by every option, trimming, all or nothing, bad arguments, two sessions at once.
 *
 *   session_check LIBRARY... -- MODEL MODEL_WITHOUT_TOKENIZER
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>

#include "load.h"

#define STEPS 12

static skippy_model *model;

static skippy_session *create(void) {
    RESOLVE(skippy_session_create);
    skippy_session *session = NULL;
    CHECK(p_skippy_session_create(model, &session, NULL) == SKIPPY_STATUS_OK && session != NULL);
    return session;
}

static int32_t step(skippy_session *session, int32_t token, const skippy_sampling_config *sampling, int32_t *next) {
    RESOLVE(skippy_decode_step_sampled);
    size_t written = 7;
    const int32_t status =
        p_skippy_decode_step_sampled(session, token, sampling, NULL, 0, NULL, 0, &written, next, NULL);
    if (status == SKIPPY_STATUS_OK) CHECK(written == 0);
    return status;
}

static void reset(skippy_session *session) {
    RESOLVE(skippy_session_reset);
    CHECK(p_skippy_session_reset(session, NULL) == SKIPPY_STATUS_OK);
}

/* Decodes STEPS tokens from a fresh start. */
static void run(skippy_session *session, const skippy_sampling_config *sampling, int32_t *out) {
    reset(session);
    int32_t token = 1;
    for (int i = 0; i < STEPS; i++) {
        CHECK(step(session, token, sampling, &out[i]) == SKIPPY_STATUS_OK);
        token = out[i];
    }
}

static int same(const int32_t *a, const int32_t *b) { return memcmp(a, b, STEPS * sizeof *a) == 0; }

static void sampling(void) {
    skippy_session *session = create();
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

static void refuse(skippy_session *session, const skippy_sampling_config *config) {
    RESOLVE(skippy_session_position);
    int32_t next = -1;
    reset(session);
    CHECK(step(session, 1, config, &next) == SKIPPY_STATUS_INVALID_ARGUMENT && next == -1);
    CHECK(p_skippy_session_position(session) == 0); /* refused before anything was evaluated */
}

static void refused_sampling(void) {
    skippy_session *session = create();
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
    skippy_session *session = create();
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
    skippy_session *session = create();
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

    skippy_session *fresh = create();
    int32_t expected[STEPS], next = 0;
    run(fresh, NULL, expected);
    CHECK(step(fresh, expected[STEPS - 1], NULL, &next) == SKIPPY_STATUS_OK);
    CHECK(step(session, first[STEPS - 1], NULL, &token) == SKIPPY_STATUS_OK);
    CHECK(token == next);
    RESOLVE(skippy_session_free);
    CHECK(p_skippy_session_free(fresh, NULL) == SKIPPY_STATUS_OK);
    CHECK(p_skippy_session_free(session, NULL) == SKIPPY_STATUS_OK);
}

static void *run_alone(void *out) {
    skippy_session *session = create();
    for (int i = 0; i < 5; i++) run(session, NULL, out);
    RESOLVE(skippy_session_free);
    CHECK(p_skippy_session_free(session, NULL) == SKIPPY_STATUS_OK);
    return NULL;
}

static void two_at_once(void) {
    int32_t a[STEPS], b[STEPS];
    pthread_t one, two;
    CHECK(pthread_create(&one, NULL, run_alone, a) == 0 && pthread_create(&two, NULL, run_alone, b) == 0);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    CHECK(same(a, b));
}

static void vocabulary(void) {
    RESOLVE(skippy_tokenize);
    RESOLVE(skippy_detokenize);
    RESOLVE(skippy_token_is_eog);
    const char *text = "h\xc3\xa9llo \xe2\x82\xac w";
    int32_t tokens[64];
    char out[64];
    size_t count = 0, bytes = 0;
    CHECK(p_skippy_tokenize(model, text, false, NULL, 0, &count, NULL) == SKIPPY_STATUS_BUFFER_TOO_SMALL && count > 3);
    const size_t needed = count;
    CHECK(p_skippy_tokenize(model, text, false, tokens, needed - 1, &count, NULL) == SKIPPY_STATUS_BUFFER_TOO_SMALL);
    CHECK(p_skippy_tokenize(model, text, false, tokens, needed, &count, NULL) == SKIPPY_STATUS_OK && count == needed);
    CHECK(p_skippy_detokenize(model, tokens, count, out, 3, &bytes, NULL) == SKIPPY_STATUS_BUFFER_TOO_SMALL);
    CHECK(p_skippy_detokenize(model, tokens, count, out, sizeof out, &bytes, NULL) == SKIPPY_STATUS_OK);
    /* The vocabulary marks the start of a text with a space. */
    CHECK(bytes == strlen(text) + 1 && out[0] == ' ' && memcmp(out + 1, text, bytes - 1) == 0);
    /* Token by token the same bytes come out, in the same order. */
    size_t joined = 0;
    for (size_t i = 0; i < count; i++) {
        char piece[64];
        CHECK(p_skippy_detokenize(model, &tokens[i], 1, piece, sizeof piece, &bytes, NULL) == SKIPPY_STATUS_OK);
        CHECK(memcmp(out + joined, piece, bytes) == 0);
        joined += bytes;
    }
    CHECK(joined == strlen(text) + 1);
    bool end = false;
    CHECK(p_skippy_token_is_eog(model, 2, &end, NULL) == SKIPPY_STATUS_OK && end);
    CHECK(p_skippy_token_is_eog(model, 5, &end, NULL) == SKIPPY_STATUS_OK && !end);
    CHECK(p_skippy_token_is_eog(model, -1, &end, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
    tokens[0] = 1 << 30;
    CHECK(p_skippy_detokenize(model, tokens, 1, out, sizeof out, &bytes, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
    CHECK(p_skippy_tokenize(model, NULL, false, tokens, 1, &count, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
    CHECK(p_skippy_tokenize(NULL, text, false, tokens, 1, &count, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
}

/* llama.cpp asserts in each of these; the runtime must answer instead. */
static void without_tokenizer(const char *path) {
    RESOLVE(skippy_model_open);
    RESOLVE(skippy_model_free);
    RESOLVE(skippy_tokenize);
    RESOLVE(skippy_detokenize);
    RESOLVE(skippy_token_is_eog);
    skippy_model *bare = NULL;
    CHECK(p_skippy_model_open(path, NULL, &bare, NULL) == SKIPPY_STATUS_OK);
    int32_t token = 5;
    size_t count = 0;
    char out[8];
    bool end = false;
    CHECK(p_skippy_tokenize(bare, "a", true, &token, 1, &count, NULL) == SKIPPY_STATUS_UNSUPPORTED);
    CHECK(p_skippy_detokenize(bare, &token, 1, out, sizeof out, &count, NULL) == SKIPPY_STATUS_UNSUPPORTED);
    CHECK(p_skippy_token_is_eog(bare, token, &end, NULL) == SKIPPY_STATUS_UNSUPPORTED);
    CHECK(p_skippy_model_free(bare, NULL) == SKIPPY_STATUS_OK);
}

static void devices(void) {
    RESOLVE(skippy_backend_device_count);
    RESOLVE(skippy_backend_device_at);
    size_t count = 0;
    CHECK(p_skippy_backend_device_count(&count, NULL) == SKIPPY_STATUS_OK && count >= 1);
    skippy_backend_device device;
    CHECK(p_skippy_backend_device_at(0, &device, NULL) == SKIPPY_STATUS_OK);
    CHECK(strcmp(device.name, "CPU") == 0 && device.device_type == SKIPPY_DEVICE_TYPE_CPU && device.memory_total > 0);
    CHECK(p_skippy_backend_device_at(count, &device, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
    CHECK(p_skippy_backend_device_at(SIZE_MAX, &device, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
}

int main(int argc, char **argv) {
    const int at = load(argc, argv);
    CHECK(at + 1 < argc);
    RESOLVE(skippy_model_open);
    RESOLVE(skippy_model_free);
    RESOLVE(skippy_session_free);
    RESOLVE(skippy_error_free);
    p_skippy_error_free(NULL);
    CHECK(p_skippy_model_free(NULL, NULL) == SKIPPY_STATUS_OK && p_skippy_session_free(NULL, NULL) == SKIPPY_STATUS_OK);
    devices();
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
    vocabulary();
    CHECK(p_skippy_model_free(model, NULL) == SKIPPY_STATUS_OK);
    without_tokenizer(argv[at + 1]);
    printf("ok\n");
    return 0;
}
