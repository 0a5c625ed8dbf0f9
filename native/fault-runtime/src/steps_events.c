/* The steps that send events. */
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "reporter.h"
#include "steps.h"

static void send(struct fault_open_run* run, uint32_t kind, const char* detail) {
  skippy_runtime_event_v1 event = fault_event(&run->sink, fault_category_of(kind), kind);
  fault_event_detail(&event, detail);
  run->sink.deliver(&run->sink, &event);
}

void fault_step_started(struct fault_open_run* run, fault_slice value) {
  char* text = value.length == 0 ? NULL : fault_slice_text(value, NULL);
  send(run, SKIPPY_EVENT_KIND_MODEL_OPEN_STARTED, text == NULL ? run->path : text);
  free(text);
}

void fault_step_progress(struct fault_open_run* run, fault_slice value) {
  uint64_t count = fault_slice_number(value, 10);
  for (uint64_t i = 1; i <= count; i += 1) {
    skippy_runtime_event_v1 event =
        fault_event(&run->sink, SKIPPY_EVENT_CATEGORY_MODEL_OPEN, SKIPPY_EVENT_KIND_MODEL_OPEN_PROGRESS);
    event.emitter = SKIPPY_EVENT_EMITTER_WORKER_THREAD;
    event.progress_current = i * 1000 / count;
    event.progress_total = 1000;
    event.progress_unit = SKIPPY_EVENT_PROGRESS_UNIT_STEPS;
    run->sink.deliver(&run->sink, &event);
  }
}

void fault_step_backend(struct fault_open_run* run, fault_slice value) {
  run->sink.model_id = run->model_id;
  char* name = fault_slice_text(value, NULL);
  const char* selected = run->config == NULL ? NULL : run->config->selected_backend_device;
  send(run, SKIPPY_EVENT_KIND_BACKEND_DEVICE_SELECTED, selected == NULL ? name : selected);
  free(name);
}

/* The two structured events of a sound open: to the open's own reporter when it has one, else to the one of the process. */
void fault_step_structured(struct fault_open_run* run, fault_slice value) {
  (void)value;
  static const struct {
    uint32_t kind;
    uint64_t number;
    const char* detail;
  } events[] = {{SKIPPY_EVENT_KIND_MODEL_LOAD_PHASE_CHANGED, 32, "execution context ready"},
                {SKIPPY_EVENT_KIND_MODEL_LOAD_TOKENIZER_READY, 258, "tokenizer ready"}};
  run->sink.model_id = run->model_id;
  for (size_t i = 0; i < sizeof events / sizeof events[0]; i += 1) {
    if (!fault_sink_active(&run->sink)) {
      skippy_emit_model_load_event_v2(events[i].kind, run->model_id, events[i].number, 0, events[i].detail,
                                      strlen(events[i].detail));
      continue;
    }
    skippy_runtime_event_v1 event = fault_event(&run->sink, SKIPPY_EVENT_CATEGORY_MODEL_OPEN, events[i].kind);
    event.numeric_summary_0 = events[i].number;
    fault_event_detail(&event, events[i].detail);
    run->sink.deliver(&run->sink, &event);
  }
}

void fault_step_finished(struct fault_open_run* run, fault_slice value) {
  (void)value;
  send(run, SKIPPY_EVENT_KIND_MODEL_OPEN_FINISHED, NULL);
}

void fault_send_failed(struct fault_open_run* run, int32_t status, uint32_t failure_code, const char* detail) {
  skippy_runtime_event_v1 event =
      fault_event(&run->sink, SKIPPY_EVENT_CATEGORY_MODEL_OPEN, SKIPPY_EVENT_KIND_MODEL_OPEN_FAILED_HANDLED);
  event.status = status;
  event.failure_code = failure_code;
  fault_event_detail(&event, detail);
  run->sink.deliver(&run->sink, &event);
}

/* The event alone; what the open returns is another step's business. */
void fault_step_failed(struct fault_open_run* run, fault_slice value) {
  int32_t status = (int32_t)fault_slice_number(value, SKIPPY_STATUS_MODEL_ERROR);
  fault_send_failed(run, status, fault_failure_code_of(status), "failed to load llama model");
}

void fault_step_event(struct fault_open_run* run, fault_slice value) { fault_send_raw(&run->sink, value); }

void fault_step_reporter_event(struct fault_open_run* run, fault_slice value) {
  (void)run;
  fault_send_raw(fault_process_sink(), value);
}

void fault_step_null_event(struct fault_open_run* run, fault_slice value) {
  uint64_t count = fault_slice_number(value, 1);
  for (uint64_t i = 0; i < count; i += 1) run->sink.deliver(&run->sink, NULL);
}

void fault_step_reporter_null_event(struct fault_open_run* run, fault_slice value) {
  (void)run, (void)value;
  fault_process_sink()->deliver(fault_process_sink(), NULL);
}

void fault_step_threads(struct fault_open_run* run, fault_slice value) { fault_send_threads(&run->sink, value); }

void fault_step_reporter_threads(struct fault_open_run* run, fault_slice value) {
  (void)run;
  fault_send_threads(fault_process_sink(), value);
}

/* "FAMILY:KIND[:NUMBER[:DETAIL]]" through the helpers that a runtime uses itself. */
void fault_step_emit(struct fault_open_run* run, fault_slice value) {
  fault_slice family;
  fault_slice kind_text;
  fault_slice number_text;
  fault_slice detail_text;
  fault_slice_split(value, ':', &family, &kind_text);
  fault_slice_split(kind_text, ':', &kind_text, &number_text);
  fault_slice_split(number_text, ':', &number_text, &detail_text);
  uint32_t kind = (uint32_t)fault_slice_number(kind_text, 0);
  uint64_t number = fault_slice_number(number_text, 0);
  size_t detail_length = 0;
  char* detail = fault_slice_text(detail_text, &detail_length);
  if (fault_slice_is(family, "load")) {
    skippy_emit_model_load_event_v2(kind, run->model_id, number, 0, detail, detail_length);
  } else if (fault_slice_is(family, "kv")) {
    skippy_emit_kv_event(kind, run->model_id, number, 0);
  } else if (fault_slice_is(family, "device")) {
    skippy_emit_device_event(kind, number, detail, detail_length);
  } else if (fault_slice_is(family, "diagnostic")) {
    skippy_emit_diagnostic_event(kind, (uint32_t)number, detail, detail_length);
  } else if (fault_slice_is(family, "unload")) {
    skippy_emit_unload_event(kind, run->model_id, number);
  }
  free(detail);
}
