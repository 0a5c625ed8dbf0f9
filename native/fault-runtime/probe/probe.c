/*
 * Looks at a built fault runtime as a host would, without the addon: "probe LIBRARY [MODEL_PATH]" prints what the library
 * exports and, given a path, opens it with a reporter and prints every event and the result. One fact a line.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mesh_ext.h"

static void* library;

#define SYMBOL(name) ((__typeof__(&name))dlsym(library, #name))

static void print_symbol(const char* name) {
  printf("symbol %s %s\n", name, dlsym(library, name) == NULL ? "absent" : "present");
}

/* One write a line: callbacks of several threads print at once. */
static void print_event(const skippy_runtime_event_v1* event, void* user_data) {
  const char* stream = user_data;
  if (event == NULL) {
    printf("event %s null\n", stream);
  } else if (event->struct_size < SKIPPY_RUNTIME_EVENT_V1_BASE_SIZE) {
    printf("event %s abi=%" PRIu32 " size=%" PRIu32 "\n", stream, event->abi_version, event->struct_size);
  } else {
    printf("event %s abi=%" PRIu32 " size=%" PRIu32 " kind=%" PRIu32 " category=%" PRIu32 " sequence=%" PRIu64
           " status=%" PRId32 " failure=%" PRIu32 " current=%" PRIu64 " detail_len=%" PRIu64 " detail_null=%d\n",
           stream, event->abi_version, event->struct_size, event->kind, event->category, event->sequence, event->status,
           event->failure_code, event->progress_current, event->detail_len, event->detail_ptr == NULL);
  }
}

static void open_model(const char* path) {
  skippy_runtime_event_reporter_v1 for_process = {1, sizeof for_process, print_event, "process"};
  skippy_runtime_event_reporter_v1 for_open = {1, sizeof for_open, print_event, "open"};
  skippy_model* model = NULL;
  skippy_error* error = NULL;
  printf("set %" PRId32 "\n", SYMBOL(skippy_set_runtime_event_reporter)(&for_process));
  int32_t status = SYMBOL(skippy_model_open_with_events)(path, NULL, &for_open, &model, &error);
  printf("status %" PRId32 "\n", status);
  printf("model %s\n", model == NULL ? "null" : "handle");
  printf("message %s\n", error == NULL ? "no error" : error->message == NULL ? "null" : error->message);
  SYMBOL(skippy_error_free)(error);
  if (model != NULL) SYMBOL(skippy_model_free)(model, NULL);
  SYMBOL(skippy_clear_runtime_event_reporter)();
}

int main(int argument_count, char** arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argument_count < 2) return 2;
  library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    printf("refused %s\n", dlerror());
    return 1;
  }
#define PRINT_SYMBOL(name) print_symbol(#name);
  SKIPPY_REQUIRED_SYMBOLS(PRINT_SYMBOL)
  print_symbol("skippy_abi_features");
  print_symbol("mesh_cancel_open_v1");
  if (dlsym(library, "skippy_abi_version") != NULL) {
    skippy_abi_version_t version = SYMBOL(skippy_abi_version)();
    printf("abi %" PRIu32 ".%" PRIu32 ".%" PRIu32 "\n", version.major, version.minor, version.patch);
  }
  if (dlsym(library, "skippy_abi_features") != NULL) printf("features 0x%" PRIx64 "\n", SYMBOL(skippy_abi_features)());
  if (argument_count > 2) open_model(arguments[2]);
  return 0;
}
