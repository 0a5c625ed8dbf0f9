/*
 * What needs no session: text to tokens and back, models without a tokenizer, devices, configs and null arguments.
 *
 *   model_check LIBRARY... -- MODEL MODEL_WITHOUT_TOKENIZER
 */
#define _POSIX_C_SOURCE 200809L

#include "load.h"

static skippy_model* model;

static void vocabulary(void) {
  RESOLVE(skippy_tokenize);
  RESOLVE(skippy_detokenize);
  RESOLVE(skippy_token_is_eog);
  const char* text = "h\xc3\xa9llo \xe2\x82\xac w";
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
static void without_tokenizer(const char* path) {
  RESOLVE(skippy_model_open);
  RESOLVE(skippy_model_free);
  RESOLVE(skippy_tokenize);
  RESOLVE(skippy_detokenize);
  RESOLVE(skippy_token_is_eog);
  skippy_model* bare = NULL;
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

/* A config that cannot be honoured is refused by name, and never half obeyed. */
static void refused_configs(const char* path) {
  RESOLVE(skippy_model_open);
  RESOLVE(skippy_error_free);
  const skippy_runtime_config defaults = skippy_runtime_config_defaults();
  skippy_runtime_config config;
  skippy_model* out = (skippy_model*)&config;
  skippy_error* error = NULL;
#define REFUSE(field, value, expected)                                     \
  config = defaults, config.field = (value), out = (skippy_model*)&config; \
  CHECK(p_skippy_model_open(path, &config, &out, &error) == (expected));   \
  CHECK(out == NULL && error != NULL && error->status == (expected));      \
  p_skippy_error_free(error)
  REFUSE(layer_start, 1, SKIPPY_STATUS_UNSUPPORTED);
  REFUSE(layer_end, 1, SKIPPY_STATUS_UNSUPPORTED);
  REFUSE(load_mode, SKIPPY_LOAD_MODE_LAYER_PACKAGE, SKIPPY_STATUS_UNSUPPORTED);
  REFUSE(mtp_source, SKIPPY_MTP_SOURCE_EXTERNAL, SKIPPY_STATUS_UNSUPPORTED);
  REFUSE(filter_tensors_on_load, true, SKIPPY_STATUS_UNSUPPORTED);
  REFUSE(resident_tensor_name_count, 1, SKIPPY_STATUS_UNSUPPORTED);
  REFUSE(ctx_size, -1, SKIPPY_STATUS_INVALID_ARGUMENT);
  REFUSE(n_batch, -1, SKIPPY_STATUS_INVALID_ARGUMENT);
  REFUSE(cache_type_k, 9999, SKIPPY_STATUS_INVALID_ARGUMENT);
  REFUSE(cache_type_v, -2, SKIPPY_STATUS_INVALID_ARGUMENT);
  REFUSE(flash_attn_type, 2, SKIPPY_STATUS_INVALID_ARGUMENT);
  REFUSE(kv_offload, 2, SKIPPY_STATUS_INVALID_ARGUMENT);
  REFUSE(split_mode, 4, SKIPPY_STATUS_INVALID_ARGUMENT);
  REFUSE(selected_backend_device, "GPU7", SKIPPY_STATUS_INVALID_ARGUMENT);
  /* Known to llama.cpp alone: blocks of 32 do not fit the heads of this model. */
  REFUSE(cache_type_k, 8, SKIPPY_STATUS_RUNTIME_ERROR);
#undef REFUSE
}

/* What can be asked for works: other cache types, plain and direct reading, one thread, the number of layers spelt out. */
static void accepted_configs(const char* path) {
  RESOLVE(skippy_model_open);
  RESOLVE(skippy_model_free);
  const skippy_runtime_config defaults = skippy_runtime_config_defaults();
  skippy_runtime_config config;
  skippy_model* out = NULL;
#define ACCEPT(change)                                                              \
  config = defaults, change;                                                        \
  CHECK(p_skippy_model_open(path, &config, &out, NULL) == SKIPPY_STATUS_OK && out); \
  CHECK(p_skippy_model_free(out, NULL) == SKIPPY_STATUS_OK)
  ACCEPT(config.cache_type_k = 0);
  ACCEPT(config.cache_type_k = 30);
  ACCEPT(config.has_mmap_override = true);
  ACCEPT(config.use_direct_io = true);
  ACCEPT(config.check_tensors = true);
  ACCEPT(config.disable_repack = true);
  ACCEPT(config.n_threads = 1);
  ACCEPT(config.layer_end = 2);
  ACCEPT(config.ctx_size = 512);
  ACCEPT(config.selected_backend_device = "CPU");
  ACCEPT(config.stage_index = 3);
#undef ACCEPT
}

static void never_called(const skippy_runtime_event_v1* event, void* user_data) {
  (void)event;
  (void)user_data;
  CHECK(!"a refused reporter was called");
}

static void refused_reporters(const char* path) {
  RESOLVE(skippy_model_open_with_events);
  skippy_runtime_event_reporter_v1 reporter = {1, sizeof reporter, NULL, NULL};
  skippy_model* out = NULL;
  CHECK(p_skippy_model_open_with_events(path, NULL, &reporter, &out, NULL) == SKIPPY_STATUS_OK);
  RESOLVE(skippy_model_free);
  CHECK(p_skippy_model_free(out, NULL) == SKIPPY_STATUS_OK);
  /* A refused reporter is answered before anything else: not even *out_model is touched. */
  skippy_model* const untouched = out = (skippy_model*)&reporter;
  reporter.struct_size = sizeof reporter - 1;
  CHECK(p_skippy_model_open_with_events(path, NULL, &reporter, &out, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  reporter.struct_size = sizeof reporter;
  reporter.abi_version = 2;
  reporter.callback = never_called;
  CHECK(p_skippy_model_open_with_events(path, NULL, &reporter, &out, NULL) == SKIPPY_STATUS_UNSUPPORTED);
  CHECK(out == untouched);
}

static void null_arguments(const char* path) {
  RESOLVE(skippy_model_open);
  RESOLVE(skippy_model_open_from_parts);
  RESOLVE(skippy_model_free);
  RESOLVE(skippy_session_create);
  RESOLVE(skippy_session_free);
  RESOLVE(skippy_session_reset);
  RESOLVE(skippy_session_position);
  RESOLVE(skippy_error_free);
  const char* const holes[] = {path, NULL};
  skippy_model* out = NULL;
  skippy_session* session = NULL;
  p_skippy_error_free(NULL);
  CHECK(p_skippy_model_free(NULL, NULL) == SKIPPY_STATUS_OK);
  CHECK(p_skippy_session_free(NULL, NULL) == SKIPPY_STATUS_OK);
  CHECK(p_skippy_session_position(NULL) == 0);
  CHECK(p_skippy_session_reset(NULL, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_session_create(NULL, &session, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_session_create(model, NULL, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_model_open(NULL, NULL, &out, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_model_open("", NULL, &out, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_model_open(path, NULL, NULL, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_model_open_from_parts(NULL, 1, NULL, &out, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_model_open_from_parts(holes, 0, NULL, &out, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  CHECK(p_skippy_model_open_from_parts(holes, 2, NULL, &out, NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
}

int main(int argc, char** argv) {
  const int at = load(argc, argv);
  CHECK(at + 1 < argc);
  RESOLVE(skippy_model_open);
  RESOLVE(skippy_model_free);
  devices();
  CHECK(p_skippy_model_open(argv[at], NULL, &model, NULL) == SKIPPY_STATUS_OK);
  vocabulary();
  null_arguments(argv[at]);
  refused_configs(argv[at]);
  accepted_configs(argv[at]);
  refused_reporters(argv[at]);
  CHECK(p_skippy_model_free(model, NULL) == SKIPPY_STATUS_OK);
  without_tokenizer(argv[at + 1]);
  printf("ok\n");
  return 0;
}
