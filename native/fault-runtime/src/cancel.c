#include "cancel.h"

#include <pthread.h>
#include <stddef.h>

#include "mesh_ext.h"
#include "model.h"
#include "variant.h"

static pthread_mutex_t running_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fault_running_open* running_opens;

void fault_running_open_enter(struct fault_running_open* running, const void* user_data) {
  pthread_mutex_lock(&running_lock);
  running->user_data = user_data;
  atomic_init(&running->cancelled, false);
  running->next = running_opens;
  running_opens = running;
  pthread_mutex_unlock(&running_lock);
}

void fault_running_open_leave(struct fault_running_open* running) {
  pthread_mutex_lock(&running_lock);
  struct fault_running_open** link = &running_opens;
  while (*link != running) link = &(*link)->next;
  *link = running->next;
  pthread_mutex_unlock(&running_lock);
}

int32_t mesh_cancel_open_v1(const void* reporter_user_data) {
  int32_t result = MESH_CANCEL_NOT_RUNNING;
  if (FAULT_CANCEL_IGNORED) return MESH_CANCEL_REQUESTED;
  pthread_mutex_lock(&running_lock);
  for (struct fault_running_open* running = running_opens; running != NULL; running = running->next) {
    if (running->user_data != reporter_user_data) continue;
    atomic_store(&running->cancelled, true);
    result = MESH_CANCEL_REQUESTED;
  }
  pthread_mutex_unlock(&running_lock);
  return result;
}

int32_t mesh_cancel_session_v1(struct skippy_session* session) {
  if (FAULT_CANCEL_IGNORED) return MESH_CANCEL_REQUESTED;
  if (session == NULL || !atomic_load(&session->running)) return MESH_CANCEL_NOT_RUNNING;
  atomic_store(&session->cancelled, true);
  return MESH_CANCEL_REQUESTED;
}
