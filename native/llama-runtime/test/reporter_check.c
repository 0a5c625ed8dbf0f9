/*
 * The process-global reporter under load: four threads emit while the main thread installs and clears reporters whose
 * memory it poisons and frees as soon as clear returned. A callback that still runs then, or runs afterwards, finds the
 * poison. Also: refused reporters, and set and clear from inside a callback, which must not deadlock.
 *
 *   reporter_check LIBRARY... --
 */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "load.h"

#define ROUNDS 100
#define EMITTERS 4
#define ALIVE 0x600d600dL
#define POISON 0x0badL

struct owner {
  atomic_long state;
  atomic_long events;
};

static atomic_int stop = 0;
static atomic_long late = 0;
static int32_t status_inside = -1;

static void on_event(const skippy_runtime_event_v1* event, void* user_data) {
  struct owner* owner = user_data;
  const struct timespec pause = {0, 20000};
  if (atomic_load(&owner->state) != ALIVE) atomic_fetch_add(&late, 1);
  /* Long enough for a clear that does not wait to return meanwhile. */
  nanosleep(&pause, NULL);
  if (atomic_load(&owner->state) != ALIVE) atomic_fetch_add(&late, 1);
  if (event->sequence == 0 || event->struct_size != sizeof *event) atomic_fetch_add(&late, 1);
  atomic_fetch_add(&owner->events, 1);
}

static void on_event_that_meddles(const skippy_runtime_event_v1* event, void* user_data) {
  (void)event;
  RESOLVE(skippy_set_runtime_event_reporter);
  RESOLVE(skippy_clear_runtime_event_reporter);
  const skippy_runtime_event_reporter_v1 other = {1, sizeof other, on_event, user_data};
  status_inside = p_skippy_set_runtime_event_reporter(&other);
  p_skippy_clear_runtime_event_reporter();
  atomic_fetch_add(&((struct owner*)user_data)->events, 1);
}

static void* emit(void* data) {
  (void)data;
  RESOLVE(skippy_emit_kv_event);
  while (!atomic_load(&stop)) p_skippy_emit_kv_event(SKIPPY_EVENT_KIND_KV_PRESSURE_CROSSED, 1, 2, 3);
  return NULL;
}

static void refusals(void) {
  RESOLVE(skippy_set_runtime_event_reporter);
  struct owner owner = {ALIVE, 0};
  skippy_runtime_event_reporter_v1 reporter = {1, sizeof reporter, on_event, &owner};
  CHECK(p_skippy_set_runtime_event_reporter(NULL) == SKIPPY_STATUS_INVALID_ARGUMENT);
  reporter.struct_size = sizeof reporter - 1;
  CHECK(p_skippy_set_runtime_event_reporter(&reporter) == SKIPPY_STATUS_INVALID_ARGUMENT);
  reporter.struct_size = sizeof reporter;
  reporter.abi_version = 2;
  CHECK(p_skippy_set_runtime_event_reporter(&reporter) == SKIPPY_STATUS_UNSUPPORTED);
  reporter.abi_version = 1;
  reporter.callback = NULL;
  CHECK(p_skippy_set_runtime_event_reporter(&reporter) == SKIPPY_STATUS_INVALID_ARGUMENT);
}

static void from_inside(void) {
  RESOLVE(skippy_set_runtime_event_reporter);
  RESOLVE(skippy_emit_unload_event);
  struct owner owner = {ALIVE, 0};
  const skippy_runtime_event_reporter_v1 reporter = {1, sizeof reporter, on_event_that_meddles, &owner};
  CHECK(p_skippy_set_runtime_event_reporter(&reporter) == SKIPPY_STATUS_OK);
  p_skippy_emit_unload_event(SKIPPY_EVENT_KIND_UNLOAD_STARTED, 1, 0);
  p_skippy_emit_unload_event(SKIPPY_EVENT_KIND_UNLOAD_STARTED, 1, 0);
  CHECK(status_inside == SKIPPY_STATUS_RUNTIME_ERROR);
  CHECK(atomic_load(&owner.events) == 1); /* the clear inside took effect at once */
}

int main(int argc, char** argv) {
  load(argc, argv);
  RESOLVE(skippy_set_runtime_event_reporter);
  RESOLVE(skippy_clear_runtime_event_reporter);
  refusals();
  from_inside();

  pthread_t threads[EMITTERS];
  for (int i = 0; i < EMITTERS; i++) CHECK(pthread_create(&threads[i], NULL, emit, NULL) == 0);
  long events = 0;
  struct owner* owners[ROUNDS];
  for (int round = 0; round < ROUNDS; round++) {
    struct owner* owner = owners[round] = malloc(sizeof *owner);
    CHECK(owner != NULL);
    atomic_init(&owner->state, ALIVE);
    atomic_init(&owner->events, 0);
    const skippy_runtime_event_reporter_v1 reporter = {1, sizeof reporter, on_event, owner};
    CHECK(p_skippy_set_runtime_event_reporter(&reporter) == SKIPPY_STATUS_OK);
    const struct timespec pause = {0, 50000};
    while (atomic_load(&owner->events) < 4) nanosleep(&pause, NULL);
    /* Every second time the next set is what takes this reporter away. */
    if (round % 2 == 0) {
      p_skippy_clear_runtime_event_reporter();
    } else {
      struct owner idle = {ALIVE, 0};
      const skippy_runtime_event_reporter_v1 next = {1, sizeof next, on_event, &idle};
      CHECK(p_skippy_set_runtime_event_reporter(&next) == SKIPPY_STATUS_OK);
      atomic_store(&owner->state, POISON);
      p_skippy_clear_runtime_event_reporter();
    }
    atomic_store(&owner->state, POISON);
    events += atomic_load(&owner->events);
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < EMITTERS; i++) pthread_join(threads[i], NULL);
  long after = 0;
  for (int round = 0; round < ROUNDS; round++) {
    after += atomic_load(&owners[round]->events);
    free(owners[round]);
  }
  printf("{\"rounds\":%d,\"events\":%ld,\"late\":%ld,\"afterwards\":%ld}\n", ROUNDS, events, atomic_load(&late),
         after - events);
  return atomic_load(&late) == 0 && after == events ? 0 : 1;
}
