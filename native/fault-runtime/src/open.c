#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "model.h"
#include "open_steps.h"
#include "waiting.h"

#define DEFAULT_TEXT "The fault runtime speaks in bytes."
#define DEFAULT_CONTEXT_TOKENS 512

static skippy_model* new_model(const char* path) {
  skippy_model* model = calloc(1, sizeof *model);
  if (model == NULL) abort();
  fault_slice script = fault_script_of(path);
  model->script_text = malloc(script.length + 1);
  if (model->script_text == NULL) abort();
  memcpy(model->script_text, script.start, script.length);
  model->script_text[script.length] = '\0';
  model->script = (fault_slice){model->script_text, script.length};
  fault_slice text;
  bool scripted = fault_script_find(model->script, "text", &text);
  model->text = fault_slice_text(scripted ? text : (fault_slice){DEFAULT_TEXT, strlen(DEFAULT_TEXT)}, &model->text_length);
  model->context_tokens = (int64_t)fault_script_number(model->script, "context", DEFAULT_CONTEXT_TOKENS);
  return model;
}

static void delete_model(skippy_model* model) {
  free(model->script_text);
  free(model->text);
  free(model);
}

/* Checks in the order of spec section 1.3. A refused reporter emits nothing and leaves *out_model as it was. */
static int32_t check_reporter(const skippy_runtime_event_reporter_v1* reporter, skippy_error** out_error) {
  if (reporter == NULL) return SKIPPY_STATUS_OK;
  if (reporter->struct_size < sizeof *reporter) {
    return fault_fail(out_error, SKIPPY_STATUS_INVALID_ARGUMENT, "runtime event reporter struct is too small");
  }
  if (reporter->callback == NULL) return SKIPPY_STATUS_OK;
  if (reporter->abi_version != SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION) {
    return fault_fail(out_error, SKIPPY_STATUS_UNSUPPORTED, "unsupported runtime event reporter ABI version");
  }
  return SKIPPY_STATUS_OK;
}

static int32_t open_scripted(const char* path, const skippy_runtime_config* config,
                             const skippy_runtime_event_reporter_v1* reporter, skippy_model** out_model,
                             skippy_error** out_error) {
  int32_t refused = check_reporter(reporter, out_error);
  if (refused != SKIPPY_STATUS_OK) return refused;
  if (out_model == NULL || path == NULL) {
    return fault_fail(out_error, SKIPPY_STATUS_INVALID_ARGUMENT, "model path and model output must not be null");
  }
  *out_model = NULL;
  skippy_model* model = new_model(path);
  struct fault_open_run run = {.path = path, .config = config, .script = model->script};
  fault_sink_for_open(&run.sink, reporter, config == NULL || config->stage_index < 0 ? 0 : (uint64_t)config->stage_index);
  run.model_id = (uint64_t)(uintptr_t)model;
  fault_running_open_enter(&run.running, reporter == NULL ? NULL : reporter->user_data);
  fault_open_run_steps(&run);
  fault_running_open_leave(&run.running);

  if (run.status == SKIPPY_STATUS_OK && !run.null_handle) {
    *out_model = model;
    free(run.message);
    return fault_succeed(out_error);
  }
  delete_model(model);
  if (run.status == SKIPPY_STATUS_OK || run.without_error) {
    fault_succeed(out_error);
  } else {
    fault_fail(out_error, run.status, run.message);
  }
  free(run.message);
  return run.status;
}

int32_t skippy_model_open_with_events(const char* path, const skippy_runtime_config* config,
                                      const skippy_runtime_event_reporter_v1* reporter, skippy_model** out_model,
                                      skippy_error** out_error) {
  return open_scripted(path, config, reporter, out_model, out_error);
}

int32_t skippy_model_open(const char* path, const skippy_runtime_config* config, skippy_model** out_model,
                          skippy_error** out_error) {
  return open_scripted(path, config, NULL, out_model, out_error);
}

int32_t skippy_model_open_from_parts_with_events(const char* const* paths, size_t path_count,
                                                 const skippy_runtime_config* config,
                                                 const skippy_runtime_event_reporter_v1* reporter, skippy_model** out_model,
                                                 skippy_error** out_error) {
  const char* first = paths == NULL || path_count == 0 ? NULL : paths[0];
  return open_scripted(first, config, reporter, out_model, out_error);
}

int32_t skippy_model_open_from_parts(const char* const* paths, size_t path_count, const skippy_runtime_config* config,
                                     skippy_model** out_model, skippy_error** out_error) {
  const char* first = paths == NULL || path_count == 0 ? NULL : paths[0];
  return open_scripted(first, config, NULL, out_model, out_error);
}

int32_t skippy_model_free(skippy_model* model, skippy_error** out_error) {
  if (model == NULL) return fault_succeed(out_error);
  uint64_t model_id = (uint64_t)(uintptr_t)model;
  fault_slice value;
  skippy_emit_unload_event(SKIPPY_EVENT_KIND_UNLOAD_STARTED, model_id, 0);
  fault_sleep_ms(fault_script_number(model->script, "free-sleep", 0));
  if (fault_script_find(model->script, "free-wait-file", &value)) fault_wait_for_file(value);
  /* Completed before the object goes: its address may be given to a new model at once (spec section 9). */
  skippy_emit_unload_event(SKIPPY_EVENT_KIND_UNLOAD_COMPLETED, model_id, 0);
  delete_model(model);
  return fault_succeed(out_error);
}
