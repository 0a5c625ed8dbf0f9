#ifndef MESH_FAULT_RUNTIME_CANCEL_H
#define MESH_FAULT_RUNTIME_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>

/* One running open, found by the user_data of its reporter. Lives on the stack of the open. */
struct fault_running_open {
  const void* user_data;
  _Atomic bool cancelled;
  struct fault_running_open* next;
};

void fault_running_open_enter(struct fault_running_open* running, const void* user_data);
void fault_running_open_leave(struct fault_running_open* running);

#endif /* MESH_FAULT_RUNTIME_CANCEL_H */
