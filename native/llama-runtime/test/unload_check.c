/*
 * A model that is freed while two of its sessions decode, which breaks the contract and must not break the process: the
 * free waits for the running calls, calls that begin after it was announced get an error, so that a session whose calls
 * follow each other without a pause cannot keep it waiting, and the empty sessions can be freed.
 *
 *   unload_check LIBRARY... -- MODEL
 */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "load.h"

#define SESSIONS 2
#define TOKENS 64

struct worker {
  skippy_session* session;
  atomic_long evaluated;
  int32_t status;
  // Calls that succeeded although they began after the draining was announced.
  long late;
};

static atomic_int unload_kinds[5];
static atomic_long live_sessions;

static void on_event(const skippy_runtime_event_v1* event, void* user_data) {
  (void)user_data;
  if (event->category != SKIPPY_EVENT_CATEGORY_UNLOAD) return;
  atomic_fetch_add(&unload_kinds[event->kind - SKIPPY_EVENT_KIND_UNLOAD_STARTED], 1);
  if (event->kind == SKIPPY_EVENT_KIND_UNLOAD_SESSION_DRAINING) atomic_store(&live_sessions, (long)event->numeric_summary_0);
}

static void* work(void* data) {
  struct worker* worker = data;
  RESOLVE(skippy_prefill_chunk);
  RESOLVE(skippy_session_reset);
  int32_t tokens[TOKENS];
  for (int i = 0; i < TOKENS; i++) tokens[i] = 3 + i;
  do {
    const bool announced = atomic_load(&live_sessions) != 0;
    worker->status = p_skippy_prefill_chunk(worker->session, tokens, TOKENS, NULL, 0, NULL, 0, NULL, NULL);
    if (worker->status == SKIPPY_STATUS_OK) worker->status = p_skippy_session_reset(worker->session, NULL);
    if (announced && worker->status == SKIPPY_STATUS_OK) worker->late++;
    atomic_fetch_add(&worker->evaluated, 1);
  } while (worker->status == SKIPPY_STATUS_OK);
  return NULL;
}

int main(int argc, char** argv) {
  const int at = load(argc, argv);
  CHECK(at < argc);
  RESOLVE(skippy_set_runtime_event_reporter);
  RESOLVE(skippy_clear_runtime_event_reporter);
  RESOLVE(skippy_model_open);
  RESOLVE(skippy_model_free);
  RESOLVE(skippy_session_create);
  RESOLVE(skippy_session_free);
  RESOLVE(skippy_session_batch_size);
  const skippy_runtime_event_reporter_v1 reporter = {1, sizeof reporter, on_event, NULL};
  CHECK(p_skippy_set_runtime_event_reporter(&reporter) == SKIPPY_STATUS_OK);
  skippy_model* model = NULL;
  CHECK(p_skippy_model_open(argv[at], NULL, &model, NULL) == SKIPPY_STATUS_OK);

  struct worker workers[SESSIONS];
  pthread_t threads[SESSIONS];
  for (int i = 0; i < SESSIONS; i++) {
    workers[i].session = NULL;
    workers[i].late = 0;
    atomic_init(&workers[i].evaluated, 0);
    CHECK(p_skippy_session_create(model, &workers[i].session, NULL) == SKIPPY_STATUS_OK);
    CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
  }
  const struct timespec pause = {0, 1000000};
  for (int i = 0; i < SESSIONS; i++) {
    while (atomic_load(&workers[i].evaluated) == 0) nanosleep(&pause, NULL);
  }
  CHECK(p_skippy_model_free(model, NULL) == SKIPPY_STATUS_OK);
  for (int i = 0; i < SESSIONS; i++) {
    pthread_join(threads[i], NULL);
    CHECK(workers[i].status == SKIPPY_STATUS_RUNTIME_ERROR);
    CHECK(workers[i].late == 0);
    CHECK(p_skippy_session_batch_size(workers[i].session) > 0);
    CHECK(p_skippy_session_free(workers[i].session, NULL) == SKIPPY_STATUS_OK);
  }
  p_skippy_clear_runtime_event_reporter();
  CHECK(atomic_load(&unload_kinds[0]) == 1 && atomic_load(&unload_kinds[1]) == 1 && atomic_load(&unload_kinds[2]) == 0);
  CHECK(atomic_load(&unload_kinds[3]) == 1 && atomic_load(&unload_kinds[4]) == 1);
  CHECK(atomic_load(&live_sessions) == SESSIONS);
  printf("ok\n");
  return 0;
}
