/*
 * The cancel extension: an open that is cancelled from its own first progress event, and a prefill that is cancelled from
 * another thread while it runs; the session is usable afterwards.
 *
 *   cancel_check LIBRARY... -- MODEL      (a model whose context of 512 tokens takes some time to fill)
 */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "load.h"
#include "mesh_ext.h"

#define TOKENS 500

struct opening {
  long progress;
  long progress_after_cancel;
  uint32_t last_kind;
  uint32_t failure;
  int32_t status;
  int32_t answer;
};

static void on_event(const skippy_runtime_event_v1* event, void* user_data) {
  struct opening* opening = user_data;
  opening->last_kind = event->kind;
  opening->failure = event->failure_code;
  opening->status = event->status;
  if (event->kind != SKIPPY_EVENT_KIND_MODEL_OPEN_PROGRESS) return;
  if (opening->progress++ > 0) opening->progress_after_cancel++;
  RESOLVE(mesh_cancel_open_v1);
  opening->answer = p_mesh_cancel_open_v1(user_data);
}

static void cancel_open(const char* path) {
  RESOLVE(skippy_model_open_with_events);
  RESOLVE(skippy_error_free);
  RESOLVE(mesh_cancel_open_v1);
  struct opening opening = {0, 0, 0, 0, 0, -1};
  const skippy_runtime_event_reporter_v1 reporter = {1, sizeof reporter, on_event, &opening};
  skippy_model* model = NULL;
  skippy_error* error = NULL;
  CHECK(p_mesh_cancel_open_v1(&opening) == MESH_CANCEL_NOT_RUNNING);
  CHECK(p_mesh_cancel_open_v1(NULL) == MESH_CANCEL_NOT_RUNNING);
  CHECK(p_skippy_model_open_with_events(path, NULL, &reporter, &model, &error) == SKIPPY_STATUS_RUNTIME_ERROR);
  CHECK(model == NULL && error != NULL && strcmp(error->message, "the model open was cancelled") == 0);
  CHECK(opening.answer == MESH_CANCEL_REQUESTED);
  CHECK(opening.progress == 1 && opening.progress_after_cancel == 0);
  CHECK(opening.last_kind == SKIPPY_EVENT_KIND_MODEL_OPEN_FAILED_HANDLED);
  CHECK(opening.failure == SKIPPY_EVENT_FAILURE_CANCELLED && opening.status == SKIPPY_STATUS_RUNTIME_ERROR);
  CHECK(p_mesh_cancel_open_v1(&opening) == MESH_CANCEL_NOT_RUNNING);
  p_skippy_error_free(error);
}

struct filling {
  skippy_session* session;
  atomic_int ended;
  int32_t status;
  int rounds;
};

/* Prefills and resets until a prefill is cancelled. */
static void* fill(void* data) {
  struct filling* filling = data;
  RESOLVE(skippy_prefill_chunk);
  RESOLVE(skippy_session_reset);
  int32_t tokens[TOKENS];
  for (int i = 0; i < TOKENS; i++) tokens[i] = 3 + i % 250;
  do {
    filling->status = p_skippy_prefill_chunk(filling->session, tokens, TOKENS, NULL, 0, NULL, 0, NULL, NULL);
    filling->rounds++;
    if (filling->status == SKIPPY_STATUS_OK) CHECK(p_skippy_session_reset(filling->session, NULL) == SKIPPY_STATUS_OK);
  } while (filling->status == SKIPPY_STATUS_OK);
  atomic_store(&filling->ended, 1);
  return NULL;
}

static void cancel_prefill(const char* path) {
  RESOLVE(skippy_model_open);
  RESOLVE(skippy_model_free);
  RESOLVE(skippy_session_create);
  RESOLVE(skippy_session_free);
  RESOLVE(skippy_session_position);
  RESOLVE(skippy_prefill_chunk);
  RESOLVE(mesh_cancel_session_v1);
  skippy_model* model = NULL;
  struct filling filling = {NULL, 0, -1, 0};
  /* Small batches, so that a cancelled call has evaluated some of its tokens already. */
  skippy_runtime_config config = skippy_runtime_config_defaults();
  config.n_batch = 64;
  config.n_ubatch = 32;
  CHECK(p_skippy_model_open(path, &config, &model, NULL) == SKIPPY_STATUS_OK);
  CHECK(p_skippy_session_create(model, &filling.session, NULL) == SKIPPY_STATUS_OK);

  /* Nothing runs: the request is refused and has no effect on the next call. */
  CHECK(p_mesh_cancel_session_v1(filling.session) == MESH_CANCEL_NOT_RUNNING);
  CHECK(p_mesh_cancel_session_v1(NULL) == MESH_CANCEL_NOT_RUNNING);
  const int32_t token = 5;
  CHECK(p_skippy_prefill_chunk(filling.session, &token, 1, NULL, 0, NULL, 0, NULL, NULL) == SKIPPY_STATUS_OK);
  CHECK(p_skippy_session_position(filling.session) == 1);
  RESOLVE(skippy_session_reset);
  CHECK(p_skippy_session_reset(filling.session, NULL) == SKIPPY_STATUS_OK);

  pthread_t thread = 0;
  CHECK(pthread_create(&thread, NULL, fill, &filling) == 0);
  const struct timespec pause = {0, 30000000};
  while (!atomic_load(&filling.ended)) {
    nanosleep(&pause, NULL);
    p_mesh_cancel_session_v1(filling.session);
  }
  pthread_join(thread, NULL);
  CHECK(filling.status == SKIPPY_STATUS_RUNTIME_ERROR);
  CHECK(p_skippy_session_position(filling.session) == 0);
  /* Nothing of the cancelled call is left: the session goes on as a new one would. */
  skippy_session* fresh = NULL;
  CHECK(p_skippy_session_create(model, &fresh, NULL) == SKIPPY_STATUS_OK);
  int32_t here = token, there = token;
  RESOLVE(skippy_decode_step_sampled);
  for (int step = 0; step < 4; step++) {
    CHECK(p_skippy_decode_step_sampled(filling.session, here, NULL, NULL, 0, NULL, 0, NULL, &here, NULL) ==
          SKIPPY_STATUS_OK);
    CHECK(p_skippy_decode_step_sampled(fresh, there, NULL, NULL, 0, NULL, 0, NULL, &there, NULL) == SKIPPY_STATUS_OK);
    CHECK(here == there);
  }
  CHECK(p_skippy_session_free(fresh, NULL) == SKIPPY_STATUS_OK);
  CHECK(p_skippy_session_free(filling.session, NULL) == SKIPPY_STATUS_OK);
  CHECK(p_skippy_model_free(model, NULL) == SKIPPY_STATUS_OK);
}

int main(int argc, char** argv) {
  const int at = load(argc, argv);
  CHECK(at < argc);
  cancel_open(argv[at]);
  cancel_prefill(argv[at]);
  printf("cancelled\n");
  return 0;
}
