#include "script.h"

#include <stdlib.h>
#include <string.h>

#define SCRIPT_MARK "script:"

/* What a sound runtime does: spec section 2.1, with ten progress events. */
#define WELL_BEHAVED "started;progress=10;backend=CPU;structured;finished"

fault_slice fault_script_of(const char* path) {
  const char* mark = path == NULL ? NULL : strstr(path, SCRIPT_MARK);
  const char* start = mark == NULL ? WELL_BEHAVED : mark + strlen(SCRIPT_MARK);
  return (fault_slice){start, strlen(start)};
}

bool fault_slice_next(fault_slice* rest, char separator, fault_slice* out_piece) {
  while (rest->length > 0 && *rest->start == separator) {
    rest->start += 1;
    rest->length -= 1;
  }
  if (rest->length == 0) return false;
  const char* end = memchr(rest->start, separator, rest->length);
  size_t length = end == NULL ? rest->length : (size_t)(end - rest->start);
  *out_piece = (fault_slice){rest->start, length};
  rest->start += length;
  rest->length -= length;
  return true;
}

void fault_slice_split(fault_slice piece, char separator, fault_slice* out_name, fault_slice* out_value) {
  const char* at = piece.length == 0 ? NULL : memchr(piece.start, separator, piece.length);
  size_t name_length = at == NULL ? piece.length : (size_t)(at - piece.start);
  size_t skipped = at == NULL ? name_length : name_length + 1;
  *out_name = (fault_slice){piece.start, name_length};
  *out_value = (fault_slice){piece.start + skipped, piece.length - skipped};
}

bool fault_slice_is(fault_slice slice, const char* text) {
  return slice.length == strlen(text) && memcmp(slice.start, text, slice.length) == 0;
}

uint64_t fault_slice_number(fault_slice slice, uint64_t fallback) {
  char digits[32];
  if (slice.length == 0 || slice.length >= sizeof digits) return fallback;
  memcpy(digits, slice.start, slice.length);
  digits[slice.length] = '\0';
  return strtoull(digits, NULL, 0);
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

char* fault_slice_text(fault_slice slice, size_t* out_length) {
  char* text = malloc(slice.length + 1);
  if (text == NULL) abort();
  size_t used = 0;
  for (size_t i = 0; i < slice.length; i += 1) {
    bool escaped = slice.start[i] == '%' && i + 2 < slice.length && hex_digit(slice.start[i + 1]) >= 0 &&
                   hex_digit(slice.start[i + 2]) >= 0;
    if (escaped) {
      text[used++] = (char)(hex_digit(slice.start[i + 1]) * 16 + hex_digit(slice.start[i + 2]));
      i += 2;
    } else {
      text[used++] = slice.start[i];
    }
  }
  text[used] = '\0';
  if (out_length != NULL) *out_length = used;
  return text;
}

bool fault_script_find(fault_slice script, const char* name, fault_slice* out_value) {
  fault_slice step;
  while (fault_slice_next(&script, ';', &step)) {
    fault_slice step_name;
    fault_slice value;
    fault_slice_split(step, '=', &step_name, &value);
    if (!fault_slice_is(step_name, name)) continue;
    if (out_value != NULL) *out_value = value;
    return true;
  }
  return false;
}

uint64_t fault_script_number(fault_slice script, const char* name, uint64_t fallback) {
  fault_slice value;
  return fault_script_find(script, name, &value) ? fault_slice_number(value, fallback) : fallback;
}
