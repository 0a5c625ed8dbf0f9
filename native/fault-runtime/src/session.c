#include <stdlib.h>

#include "errors.h"
#include "model.h"
#include "waiting.h"

int32_t skippy_session_create(skippy_model* model, skippy_session** out_session, skippy_error** out_error) {
  if (model == NULL || out_session == NULL) {
    return fault_fail(out_error, SKIPPY_STATUS_INVALID_ARGUMENT, "model and session output must not be null");
  }
  uint64_t refusal = fault_script_number(model->script, "session-fail", 0);
  if (refusal != 0) return fault_fail(out_error, (int32_t)refusal, "failed to create a session");
  skippy_session* session = calloc(1, sizeof *session);
  if (session == NULL) abort();
  session->model = model;
  *out_session = session;
  skippy_emit_kv_event(SKIPPY_EVENT_KIND_KV_INITIALIZED, (uint64_t)(uintptr_t)session, (uint64_t)model->context_tokens, 0);
  return fault_succeed(out_error);
}

int32_t skippy_session_free(skippy_session* session, skippy_error** out_error) {
  free(session);
  return fault_succeed(out_error);
}

int32_t skippy_session_reset(skippy_session* session, skippy_error** out_error) {
  if (session == NULL) return fault_fail(out_error, SKIPPY_STATUS_INVALID_ARGUMENT, "session is null");
  session->position = 0;
  session->generated = 0;
  skippy_emit_kv_event(SKIPPY_EVENT_KIND_KV_PRESSURE_CLEARED, (uint64_t)(uintptr_t)session, 0, 0);
  return fault_succeed(out_error);
}

int32_t skippy_session_position(const skippy_session* session) { return session == NULL ? 0 : (int32_t)session->position; }

/* Zero unless the script says "batch": a runtime without an opinion takes a prompt in one piece. */
int32_t skippy_session_batch_size(const skippy_session* session) {
  return session == NULL ? 0 : (int32_t)fault_script_number(session->model->script, "batch", 0);
}

/* Runs the waits, crashes and failures that the script has for this call ("prefill" or "decode"). */
static int32_t scripted(skippy_session* session, bool decode, skippy_error** out_error) {
  fault_slice script = session->model->script;
  fault_slice value;
  if (fault_script_find(script, decode ? "decode-touch" : "prefill-touch", &value)) fault_touch_file(value);
  fault_sleep_ms(fault_script_number(script, decode ? "decode-sleep" : "prefill-sleep", 0));
  if (fault_script_find(script, decode ? "decode-wait-file" : "prefill-wait-file", &value) && !fault_wait_for_file(value)) {
    return fault_fail(out_error, SKIPPY_STATUS_RUNTIME_ERROR, "the awaited file did not appear");
  }
  if (fault_script_find(script, decode ? "decode-crash" : "prefill-crash", NULL)) fault_crash();
  if (fault_script_find(script, decode ? "decode-wait-cancel" : "prefill-wait-cancel", &value)) {
    fault_wait_for_flag(&session->cancelled, fault_slice_number(value, FAULT_WAIT_MS_MAX));
  }
  if (atomic_load(&session->cancelled)) return fault_fail(out_error, SKIPPY_STATUS_RUNTIME_ERROR, "cancelled");
  uint64_t status = fault_script_number(script, decode ? "decode-fail" : "prefill-fail", 0);
  if (status != 0) return fault_fail(out_error, (int32_t)status, "the step failed as its script says");
  return SKIPPY_STATUS_OK;
}

/* Makes room for more tokens in the context, or says that it is full (and reports it as an event). */
static int32_t advance(skippy_session* session, size_t tokens, skippy_error** out_error) {
  if (session->position + (int64_t)tokens > session->model->context_tokens) {
    skippy_emit_kv_event(SKIPPY_EVENT_KIND_KV_CONTEXT_CAPACITY_EXHAUSTED, (uint64_t)(uintptr_t)session,
                         (uint64_t)session->position, (uint64_t)session->model->context_tokens);
    return fault_fail(out_error, SKIPPY_STATUS_RUNTIME_ERROR, "context is full");
  }
  session->position += (int64_t)tokens;
  return fault_succeed(out_error);
}

static int32_t run(skippy_session* session, bool decode, size_t tokens, skippy_error** out_error) {
  atomic_store(&session->cancelled, false);
  atomic_store(&session->running, true);
  int32_t status = scripted(session, decode, out_error);
  atomic_store(&session->running, false);
  return status == SKIPPY_STATUS_OK ? advance(session, tokens, out_error) : status;
}

int32_t skippy_prefill_chunk(skippy_session* session, const int32_t* tokens, size_t token_count, const void* input,
                             size_t input_bytes, void* output, size_t output_capacity, size_t* out_output_bytes,
                             skippy_error** out_error) {
  (void)input, (void)input_bytes, (void)output, (void)output_capacity;
  if (session == NULL || (tokens == NULL && token_count > 0)) {
    return fault_fail(out_error, SKIPPY_STATUS_INVALID_ARGUMENT, "session and tokens must not be null");
  }
  if (out_output_bytes != NULL) *out_output_bytes = 0;
  return run(session, false, token_count, out_error);
}

int32_t skippy_decode_step_sampled(skippy_session* session, int32_t token, const skippy_sampling_config* sampling,
                                   const void* input, size_t input_bytes, void* output, size_t output_capacity,
                                   size_t* out_output_bytes, int32_t* out_predicted, skippy_error** out_error) {
  (void)token, (void)input, (void)input_bytes, (void)output, (void)output_capacity;
  if (session == NULL || out_predicted == NULL) {
    return fault_fail(out_error, SKIPPY_STATUS_INVALID_ARGUMENT, "session and token output must not be null");
  }
  if (out_output_bytes != NULL) *out_output_bytes = 0;
  int32_t status = run(session, true, 1, out_error);
  if (status != SKIPPY_STATUS_OK) return status;
  skippy_model* model = session->model;
  /* "echo-sampling" makes the prediction tell whether the sampling config arrived: its top_k, or the end for none. */
  if (fault_script_find(model->script, "echo-sampling", NULL)) {
    *out_predicted = sampling == NULL ? FAULT_TOKEN_END : sampling->top_k;
    return status;
  }
  bool endless = fault_script_find(model->script, "endless", NULL);
  bool ended = session->generated >= model->text_length && !(endless && model->text_length > 0);
  *out_predicted = ended ? FAULT_TOKEN_END : (unsigned char)model->text[session->generated % model->text_length];
  session->generated += 1;
  return status;
}
