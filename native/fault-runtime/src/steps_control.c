/* The steps that decide what an open waits for, and how it ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "errors.h"
#include "steps.h"
#include "waiting.h"

void fault_set_message(struct fault_open_run* run, const char* message) {
  free(run->message);
  run->message = strdup(message);
}

/* A handled failure as a sound runtime reports it: the event, the same message in the error, the status. */
void fault_step_fail(struct fault_open_run* run, fault_slice value) {
  fault_step_failed(run, value);
  run->status = (int32_t)fault_slice_number(value, SKIPPY_STATUS_MODEL_ERROR);
  if (run->message == NULL) fault_set_message(run, "failed to load llama model");
  run->stopped = true;
}

void fault_step_return(struct fault_open_run* run, fault_slice value) {
  if (fault_slice_is(value, "null-handle")) {
    run->null_handle = true;
  } else {
    run->status = (int32_t)fault_slice_number(value, SKIPPY_STATUS_OK);
  }
  run->stopped = true;
}

void fault_step_message(struct fault_open_run* run, fault_slice value) {
  char* text = fault_slice_text(value, NULL);
  fault_set_message(run, text);
  free(text);
}

void fault_step_without_error(struct fault_open_run* run, fault_slice value) {
  (void)value;
  run->without_error = true;
}

void fault_step_late(struct fault_open_run* run, fault_slice value) {
  fault_slice milliseconds;
  fault_slice count;
  fault_slice_split(value, ':', &milliseconds, &count);
  if (fault_sink_active(&run->sink)) {
    fault_call_later(&run->sink.reporter, fault_slice_number(milliseconds, 20), fault_slice_number(count, 1));
  }
}

void fault_step_sleep(struct fault_open_run* run, fault_slice value) {
  (void)run;
  fault_sleep_ms(fault_slice_number(value, 0));
}

void fault_step_touch(struct fault_open_run* run, fault_slice value) {
  (void)run;
  fault_touch_file(value);
}

void fault_step_wait_file(struct fault_open_run* run, fault_slice value) {
  if (fault_wait_for_file(value)) return;
  run->status = SKIPPY_STATUS_RUNTIME_ERROR;
  fault_set_message(run, "the awaited file did not appear");
  run->stopped = true;
}

void fault_step_wait_cancel(struct fault_open_run* run, fault_slice value) {
  if (!fault_wait_for_flag(&run->running.cancelled, fault_slice_number(value, FAULT_WAIT_MS_MAX))) return;
  run->status = SKIPPY_STATUS_RUNTIME_ERROR;
  fault_set_message(run, "model open was cancelled");
  fault_send_failed(run, run->status, SKIPPY_EVENT_FAILURE_CANCELLED, run->message);
  run->stopped = true;
}

void fault_step_crash(struct fault_open_run* run, fault_slice value) {
  (void)run, (void)value;
  fault_crash();
}

void fault_step_exit(struct fault_open_run* run, fault_slice value) {
  (void)run;
  _exit((int)fault_slice_number(value, 7));
}

/* Fails with the config in the message, so that a test sees what crossed the boundary. */
void fault_step_echo_config(struct fault_open_run* run, fault_slice value) {
  (void)value;
  const skippy_runtime_config* config = run->config;
  char text[512] = "config=null";
  if (config != NULL) {
    snprintf(text, sizeof text,
             "ctx_size=%d n_batch=%d n_threads=%d n_gpu_layers=%d has_mmap_override=%d use_mmap=%d use_mlock=%d "
             "selected_backend_device=%s check_tensors=%d split_mode=%d",
             config->ctx_size, config->n_batch, config->n_threads, config->n_gpu_layers, config->has_mmap_override,
             config->use_mmap, config->use_mlock,
             config->selected_backend_device == NULL ? "null" : config->selected_backend_device, config->check_tensors,
             config->split_mode);
  }
  run->status = SKIPPY_STATUS_UNSUPPORTED;
  fault_set_message(run, text);
  run->stopped = true;
}

/* Fails with the number of errors that were handed out and not freed, not counting its own. */
void fault_step_count_errors(struct fault_open_run* run, fault_slice value) {
  (void)value;
  char text[64];
  snprintf(text, sizeof text, "errors alive: %lld", (long long)fault_errors_alive());
  run->status = SKIPPY_STATUS_UNSUPPORTED;
  fault_set_message(run, text);
  run->stopped = true;
}
