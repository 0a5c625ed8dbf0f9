#ifndef MESH_FAULT_RUNTIME_STEPS_H
#define MESH_FAULT_RUNTIME_STEPS_H

#include "open_steps.h"

/* Replaces the message that the open's error will carry. */
void fault_set_message(struct fault_open_run* run, const char* message);

/* Sends the FAILED_HANDLED event of the open. */
void fault_send_failed(struct fault_open_run* run, int32_t status, uint32_t failure_code, const char* detail);

/* One function a step, named for it; README.md lists what each does. */
void fault_step_started(struct fault_open_run* run, fault_slice value);
void fault_step_progress(struct fault_open_run* run, fault_slice value);
void fault_step_backend(struct fault_open_run* run, fault_slice value);
void fault_step_structured(struct fault_open_run* run, fault_slice value);
void fault_step_finished(struct fault_open_run* run, fault_slice value);
void fault_step_failed(struct fault_open_run* run, fault_slice value);
void fault_step_fail(struct fault_open_run* run, fault_slice value);
void fault_step_return(struct fault_open_run* run, fault_slice value);
void fault_step_message(struct fault_open_run* run, fault_slice value);
void fault_step_without_error(struct fault_open_run* run, fault_slice value);
void fault_step_event(struct fault_open_run* run, fault_slice value);
void fault_step_reporter_event(struct fault_open_run* run, fault_slice value);
void fault_step_null_event(struct fault_open_run* run, fault_slice value);
void fault_step_reporter_null_event(struct fault_open_run* run, fault_slice value);
void fault_step_threads(struct fault_open_run* run, fault_slice value);
void fault_step_reporter_threads(struct fault_open_run* run, fault_slice value);
void fault_step_late(struct fault_open_run* run, fault_slice value);
void fault_step_sleep(struct fault_open_run* run, fault_slice value);
void fault_step_touch(struct fault_open_run* run, fault_slice value);
void fault_step_wait_file(struct fault_open_run* run, fault_slice value);
void fault_step_wait_cancel(struct fault_open_run* run, fault_slice value);
void fault_step_crash(struct fault_open_run* run, fault_slice value);
void fault_step_exit(struct fault_open_run* run, fault_slice value);
void fault_step_echo_config(struct fault_open_run* run, fault_slice value);
void fault_step_count_errors(struct fault_open_run* run, fault_slice value);
void fault_step_emit(struct fault_open_run* run, fault_slice value);

#endif /* MESH_FAULT_RUNTIME_STEPS_H */
