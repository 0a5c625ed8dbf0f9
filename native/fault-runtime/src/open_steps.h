#ifndef MESH_FAULT_RUNTIME_OPEN_STEPS_H
#define MESH_FAULT_RUNTIME_OPEN_STEPS_H

#include "cancel.h"
#include "events.h"

/* One open while it runs: what it was given, and what its steps decided. */
struct fault_open_run {
  const char* path;
  const skippy_runtime_config* config;
  fault_slice script;
  fault_sink sink;
  uint64_t model_id;
  struct fault_running_open running;
  /* SKIPPY_STATUS_OK until a step decides otherwise. */
  int32_t status;
  char* message;
  bool without_error;
  bool null_handle;
  /* No further step runs. */
  bool stopped;
};

/* Runs the steps of the script in order; unknown ones that belong to no session fail the open. */
void fault_open_run_steps(struct fault_open_run* run);

#endif /* MESH_FAULT_RUNTIME_OPEN_STEPS_H */
