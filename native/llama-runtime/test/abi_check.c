/*
 * An independent check of a native runtime: C, the ABI header and the C library, nothing of this project besides.
 *
 *   abi_check [OPTION...] LIBRARY... -- MODEL...
 *
 * Loads the libraries in the order given (the primary one last), admits the runtime by its exact version, opens the model
 * with a per-call and a process-global reporter, decodes, frees, and prints every event and every result as one JSON
 * object a line. Exit status 0 means that the rules this program checks itself held: no callback after an open returned,
 * none after the global reporter was cleared. What the lines must say is for the caller to judge.
 *
 *   --parts          open with the paths as parts of one model
 *   --no-mmap        read the file instead of mapping it
 *   --device NAME    select this backend device
 *   --context N      size of the context in tokens
 *   --gpu-layers N   layers to offload
 *   --steps N        tokens to decode (4)
 *   --fill           decode until the context is full
 *   --plain          open without a per-call reporter
 *   --keep-session   free the model before its session
 */
#define _POSIX_C_SOURCE 200809L

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "skippy.h"

#define LIBRARIES_MAX 16
#define TOKENS_MAX 256
/* How long this program watches for a callback after there may be none any more. */
#define WATCH_MS 200

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

struct stream {
  const char* name;
  int closed; /* set when no callback may come any more */
  long late;
  long count;
};

static struct stream open_stream = {"open", 0, 0, 0};
static struct stream global_stream = {"global", 0, 0, 0};

static void* libraries[LIBRARIES_MAX];
static int library_count = 0;

struct options {
  int parts, no_mmap, fill, plain, keep_session;
  const char* device;
  int context, gpu_layers, steps;
};

static void print_text(const char* text, size_t length) {
  putchar('"');
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\') {
      printf("\\%c", c);
    } else if (c < 0x20 || c >= 0x7f) {
      printf("\\u%04x", c); /* bytes, not characters: good enough to compare */
    } else {
      putchar(c);
    }
  }
  putchar('"');
}

static void on_event(const skippy_runtime_event_v1* event, void* user_data) {
  struct stream* stream = user_data;
  pthread_mutex_lock(&output);
  stream->count++;
  if (stream->closed) stream->late++;
  printf("{\"stream\":\"%s\",\"abi\":%u,\"size\":%u,\"category\":%u,\"kind\":%u,\"emitter\":%u,\"sequence\":%llu",
         stream->name, event->abi_version, event->struct_size, event->category, event->kind, event->emitter,
         (unsigned long long)event->sequence);
  printf(",\"timestamp\":%llu,\"model\":%llu,\"stage\":%llu,\"session\":%llu", (unsigned long long)event->timestamp_mono_ns,
         (unsigned long long)event->model_id, (unsigned long long)event->stage_id, (unsigned long long)event->session_id);
  printf(",\"current\":%llu,\"total\":%llu,\"unit\":%u,\"failure\":%u,\"status\":%d",
         (unsigned long long)event->progress_current, (unsigned long long)event->progress_total, event->progress_unit,
         event->failure_code, event->status);
  printf(",\"n\":[%llu,%llu,%llu,%llu],\"detail\":", (unsigned long long)event->numeric_summary_0,
         (unsigned long long)event->numeric_summary_1, (unsigned long long)event->numeric_summary_2,
         (unsigned long long)event->numeric_summary_3);
  print_text(event->detail_ptr == NULL ? "" : event->detail_ptr, (size_t)event->detail_len);
  printf("}\n");
  pthread_mutex_unlock(&output);
}

static void fail(const char* what, const char* why) {
  fprintf(stderr, "abi_check: %s: %s\n", what, why);
  exit(2);
}

static void* find(const char* name) {
  for (int i = library_count - 1; i >= 0; i--) {
    void* symbol = dlsym(libraries[i], name);
    if (symbol != NULL) return symbol;
  }
  return NULL;
}

/* Declares NAME as a pointer to the function of that name, typed as the header declares it. */
#define RESOLVE(name)                          \
  __typeof__(&name) p_##name = NULL;           \
  do {                                         \
    void* symbol = find(#name);                \
    if (!symbol) fail("missing", #name);       \
    memcpy(&p_##name, &symbol, sizeof symbol); \
  } while (0)

static void watch(void) {
  const struct timespec pause = {0, WATCH_MS * 1000000L};
  nanosleep(&pause, NULL);
}

/* Prints the result of a call, takes the error's text and frees it. */
static int result(const char* call, int32_t status, skippy_error* error, long long value) {
  RESOLVE(skippy_error_free);
  pthread_mutex_lock(&output);
  printf("{\"call\":\"%s\",\"status\":%d,\"value\":%lld,\"error\":", call, status, value);
  print_text(error == NULL ? "" : error->message, error == NULL ? 0 : strlen(error->message));
  printf("}\n");
  pthread_mutex_unlock(&output);
  if (error != NULL && error->status != status) fail(call, "the error struct carries another status than the call");
  if (error == NULL && status != 0) fail(call, "failed without an error struct");
  p_skippy_error_free(error);
  return status;
}

static void admit(void) {
  RESOLVE(skippy_abi_version);
  RESOLVE(skippy_abi_features);
  const skippy_abi_version_t version = p_skippy_abi_version();
  printf("{\"abi\":\"%u.%u.%u\",\"features\":\"0x%llx\"}\n", version.major, version.minor, version.patch,
         (unsigned long long)p_skippy_abi_features());
  if (version.major != SKIPPY_ABI_VERSION_MAJOR || version.minor != SKIPPY_ABI_VERSION_MINOR ||
      version.patch != SKIPPY_ABI_VERSION_PATCH)
    fail("admission", "another ABI version");
#define REQUIRE(name) \
  if (find(#name) == NULL) fail("missing", #name);
  SKIPPY_REQUIRED_SYMBOLS(REQUIRE)
#undef REQUIRE
}

static skippy_runtime_config config_of(const struct options* options) {
  skippy_runtime_config config = skippy_runtime_config_defaults();
  config.ctx_size = options->context;
  if (options->gpu_layers > 0) config.n_gpu_layers = options->gpu_layers;
  config.has_mmap_override = options->no_mmap != 0;
  config.selected_backend_device = options->device;
  return config;
}

static skippy_model* open_model(const struct options* options, const char* const* paths, size_t count) {
  RESOLVE(skippy_model_open);
  RESOLVE(skippy_model_open_from_parts);
  RESOLVE(skippy_model_open_with_events);
  RESOLVE(skippy_model_open_from_parts_with_events);
  const skippy_runtime_config config = config_of(options);
  const skippy_runtime_event_reporter_v1 reporter = {SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION,
                                                     sizeof(skippy_runtime_event_reporter_v1), on_event, &open_stream};
  skippy_model* model = NULL;
  skippy_error* error = NULL;
  int32_t status = SKIPPY_STATUS_ERROR;
  if (options->plain) {
    status = options->parts ? p_skippy_model_open_from_parts(paths, count, &config, &model, &error)
                            : p_skippy_model_open(paths[0], &config, &model, &error);
  } else {
    status = options->parts ? p_skippy_model_open_from_parts_with_events(paths, count, &config, &reporter, &model, &error)
                            : p_skippy_model_open_with_events(paths[0], &config, &reporter, &model, &error);
  }
  open_stream.closed = 1;
  result("open", status, error, model != NULL);
  watch();
  return model;
}

static void decode(skippy_session* session, const int32_t* tokens, size_t count, const struct options* options) {
  RESOLVE(skippy_prefill_chunk);
  RESOLVE(skippy_decode_step_sampled);
  RESOLVE(skippy_session_position);
  skippy_error* error = NULL;
  int32_t status = p_skippy_prefill_chunk(session, tokens, count - 1, NULL, 0, NULL, 0, NULL, &error);
  result("prefill", status, error, p_skippy_session_position(session));
  int32_t token = tokens[count - 1];
  for (int step = 0; status == 0 && (options->fill || step < options->steps); step++) {
    int32_t next = -1;
    status = p_skippy_decode_step_sampled(session, token, NULL, NULL, 0, NULL, 0, NULL, &next, &error);
    /* A full context takes hundreds of steps: the last one is the one that matters. */
    if (status != 0 || !options->fill) result("decode", status, error, next);
    token = next;
  }
  result("position", 0, NULL, p_skippy_session_position(session));
}

static void use(skippy_model* model, const struct options* options) {
  RESOLVE(skippy_session_create);
  RESOLVE(skippy_session_reset);
  RESOLVE(skippy_session_free);
  RESOLVE(skippy_model_free);
  RESOLVE(skippy_tokenize);
  skippy_error* error = NULL;
  skippy_session* session = NULL;
  int32_t tokens[TOKENS_MAX];
  size_t count = 0;
  int32_t status = p_skippy_tokenize(model, "The capital of France is", true, tokens, TOKENS_MAX, &count, &error);
  result("tokenize", status, error, (long long)count);
  if (status == 0 && count >= 2) {
    status = p_skippy_session_create(model, &session, &error);
    result("session", status, error, session != NULL);
    if (session != NULL) {
      decode(session, tokens, count, options);
      status = p_skippy_session_reset(session, &error);
      result("reset", status, error, 0);
    }
  }
  if (session != NULL && !options->keep_session) {
    status = p_skippy_session_free(session, &error);
    result("session-free", status, error, 0);
  }
  status = p_skippy_model_free(model, &error);
  result("model-free", status, error, 0);
  if (session != NULL && options->keep_session) {
    status = p_skippy_session_reset(session, &error);
    result("reset-after-model-free", status, error, 0);
    status = p_skippy_session_free(session, &error);
    result("session-free", status, error, 0);
  }
}

static int number_of(const char* text) {
  char* end = NULL;
  const long number = strtol(text, &end, 10);
  if (end == text || *end != '\0') fail("not a number", text);
  return (int)number;
}

static int parse(int argc, char** argv, struct options* options) {
  int at = 1;
  for (; at < argc && strncmp(argv[at], "--", 2) == 0 && argv[at][2] != '\0'; at++) {
    const char* name = argv[at] + 2;
    const char* value = at + 1 < argc ? argv[at + 1] : "";
    if (strcmp(name, "parts") == 0)
      options->parts = 1;
    else if (strcmp(name, "no-mmap") == 0)
      options->no_mmap = 1;
    else if (strcmp(name, "fill") == 0)
      options->fill = 1;
    else if (strcmp(name, "plain") == 0)
      options->plain = 1;
    else if (strcmp(name, "keep-session") == 0)
      options->keep_session = 1;
    else if (strcmp(name, "device") == 0)
      options->device = value, at++;
    else if (strcmp(name, "context") == 0)
      options->context = number_of(value), at++;
    else if (strcmp(name, "gpu-layers") == 0)
      options->gpu_layers = number_of(value), at++;
    else if (strcmp(name, "steps") == 0)
      options->steps = number_of(value), at++;
    else
      fail("unknown option", argv[at]);
  }
  return at;
}

int main(int argc, char** argv) {
  struct options options = {0, 0, 0, 0, 0, NULL, 0, 0, 4};
  int at = parse(argc, argv, &options);
  for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
    if (library_count == LIBRARIES_MAX) fail("too many libraries", argv[at]);
    libraries[library_count] = dlopen(argv[at], RTLD_NOW | RTLD_LOCAL);
    if (libraries[library_count] == NULL) fail("dlopen", dlerror());
    library_count++;
  }
  if (library_count == 0 || at + 1 >= argc) fail("usage", "abi_check [OPTION...] LIBRARY... -- MODEL...");
  admit();

  RESOLVE(skippy_set_runtime_event_reporter);
  RESOLVE(skippy_clear_runtime_event_reporter);
  const skippy_runtime_event_reporter_v1 reporter = {SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION,
                                                     sizeof(skippy_runtime_event_reporter_v1), on_event, &global_stream};
  if (p_skippy_set_runtime_event_reporter(&reporter) != 0) fail("set reporter", "refused");
  skippy_model* model = open_model(&options, (const char* const*)(argv + at + 1), (size_t)(argc - at - 1));
  if (model != NULL) use(model, &options);
  p_skippy_clear_runtime_event_reporter();
  global_stream.closed = 1;
  watch();
  printf("{\"callbacks\":{\"open\":%ld,\"global\":%ld},\"late\":{\"open\":%ld,\"global\":%ld}}\n", open_stream.count,
         global_stream.count, open_stream.late, global_stream.late);
  return open_stream.late + global_stream.late == 0 ? 0 : 1;
}
