#include "open_steps.h"

#include <stdio.h>
#include <string.h>

#include "devices.h"
#include "steps.h"

static void nothing(struct fault_open_run* run, fault_slice value) { (void)run, (void)value; }

static const struct {
  const char* name;
  void (*perform)(struct fault_open_run* run, fault_slice value);
} steps[] = {
    {"started", fault_step_started},
    {"progress", fault_step_progress},
    {"backend", fault_step_backend},
    {"structured", fault_step_structured},
    {"finished", fault_step_finished},
    {"failed", fault_step_failed},
    {"fail", fault_step_fail},
    {"return", fault_step_return},
    {"message", fault_step_message},
    {"without-error", fault_step_without_error},
    {"event", fault_step_event},
    {"reporter-event", fault_step_reporter_event},
    {"null-event", fault_step_null_event},
    {"reporter-null-event", fault_step_reporter_null_event},
    {"threads", fault_step_threads},
    {"reporter-threads", fault_step_reporter_threads},
    {"late", fault_step_late},
    {"sleep", fault_step_sleep},
    {"touch", fault_step_touch},
    {"wait-file", fault_step_wait_file},
    {"wait-cancel", fault_step_wait_cancel},
    {"crash", fault_step_crash},
    {"exit", fault_step_exit},
    {"echo-config", fault_step_echo_config},
    {"count-errors", fault_step_count_errors},
    {"emit", fault_step_emit},
    /* These describe the model that comes out, and are read later. */
    {"text", nothing},
    {"batch", nothing},
    {"context", nothing},
    {"endless", nothing},
    {"echo-sampling", nothing},
    {"session-fail", nothing},
    {"free-sleep", nothing},
    {"free-wait-file", nothing},
    {"prefill-touch", nothing},
    {"prefill-sleep", nothing},
    {"prefill-wait-file", nothing},
    {"prefill-wait-cancel", nothing},
    {"prefill-crash", nothing},
    {"prefill-fail", nothing},
    {"decode-touch", nothing},
    {"decode-sleep", nothing},
    {"decode-wait-file", nothing},
    {"decode-wait-cancel", nothing},
    {"decode-crash", nothing},
    {"decode-fail", nothing},
};

static void perform(struct fault_open_run* run, fault_slice step) {
  fault_slice name;
  fault_slice value;
  fault_slice_split(step, '=', &name, &value);
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i += 1) {
    if (!fault_slice_is(name, steps[i].name)) continue;
    steps[i].perform(run, value);
    return;
  }
  char text[128];
  snprintf(text, sizeof text, "the script has an unknown step: %.*s", (int)(name.length > 64 ? 64 : name.length),
           name.start);
  run->status = SKIPPY_STATUS_INVALID_ARGUMENT;
  fault_set_message(run, text);
  run->stopped = true;
}

/* A device that the config selects is checked, and reported through the device family (spec section 2.2). */
static void select_device(struct fault_open_run* run) {
  const char* selected = run->config == NULL ? NULL : run->config->selected_backend_device;
  if (selected == NULL) return;
  if (!fault_device_known(selected)) {
    char text[160];
    snprintf(text, sizeof text, "unknown selected backend device: %.100s", selected);
    run->status = SKIPPY_STATUS_INVALID_ARGUMENT;
    fault_set_message(run, text);
    fault_send_failed(run, run->status, SKIPPY_EVENT_FAILURE_INVALID_ARGUMENT, text);
    run->stopped = true;
    return;
  }
  skippy_emit_device_event(SKIPPY_EVENT_KIND_DEVICE_BACKEND_INITIALIZED, 0, selected, strlen(selected));
  skippy_emit_device_event(SKIPPY_EVENT_KIND_DEVICE_READY, 0, selected, strlen(selected));
}

void fault_open_run_steps(struct fault_open_run* run) {
  fault_slice rest = run->script;
  fault_slice step;
  select_device(run);
  while (!run->stopped && fault_slice_next(&rest, ';', &step)) perform(run, step);
}
