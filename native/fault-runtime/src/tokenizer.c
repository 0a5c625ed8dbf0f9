/* One token a byte. This file knows nothing of the rest, so a variant can put it into a library of its own. */
#include <string.h>

#include "errors.h"
#include "model.h"

int32_t skippy_tokenize(skippy_model* model, const char* text, bool add_special, int32_t* out_tokens, size_t capacity,
                        size_t* out_count, skippy_error** out_error) {
  if (model == NULL || text == NULL || out_count == NULL) {
    return fault_fail(out_error, SKIPPY_STATUS_INVALID_ARGUMENT, "model, text and token count output must not be null");
  }
  size_t special = add_special ? 1 : 0;
  size_t needed = strlen(text) + special;
  *out_count = needed;
  if (needed > capacity) return fault_fail(out_error, SKIPPY_STATUS_BUFFER_TOO_SMALL, "token buffer is too small");
  if (add_special) out_tokens[0] = FAULT_TOKEN_BEGIN;
  for (size_t i = special; i < needed; i += 1) out_tokens[i] = (unsigned char)text[i - special];
  return fault_succeed(out_error);
}

int32_t skippy_detokenize(skippy_model* model, const int32_t* tokens, size_t token_count, char* out_text, size_t capacity,
                          size_t* out_bytes, skippy_error** out_error) {
  if (model == NULL || (tokens == NULL && token_count > 0) || out_bytes == NULL) {
    return fault_fail(out_error, SKIPPY_STATUS_INVALID_ARGUMENT, "model, tokens and byte count output must not be null");
  }
  size_t needed = 0;
  for (size_t i = 0; i < token_count; i += 1) {
    if (tokens[i] < 0 || tokens[i] > FAULT_TOKEN_BEGIN) {
      return fault_fail(out_error, SKIPPY_STATUS_INVALID_ARGUMENT, "token is not in the vocabulary");
    }
    if (tokens[i] > 255) continue;
    if (needed < capacity) out_text[needed] = (char)tokens[i];
    needed += 1;
  }
  *out_bytes = needed;
  if (needed > capacity) return fault_fail(out_error, SKIPPY_STATUS_BUFFER_TOO_SMALL, "text buffer is too small");
  return fault_succeed(out_error);
}

int32_t skippy_token_is_eog(skippy_model* model, int32_t token, bool* out_is_eog, skippy_error** out_error) {
  if (model == NULL || out_is_eog == NULL) {
    return fault_fail(out_error, SKIPPY_STATUS_INVALID_ARGUMENT, "model and result output must not be null");
  }
  *out_is_eog = token == FAULT_TOKEN_END;
  return fault_succeed(out_error);
}
