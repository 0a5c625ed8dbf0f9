/* Loading a runtime, for the test programs: the libraries before "--" in order, symbols from the last one backwards. */
#ifndef MESH_LLAMA_RUNTIME_TEST_LOAD_H
#define MESH_LLAMA_RUNTIME_TEST_LOAD_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "skippy.h"

#define LIBRARIES_MAX 16

static void* libraries[LIBRARIES_MAX];
static int library_count = 0;

/* Ends the program unless the condition holds. */
#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

/* Returns the index of the first argument after "--". */
static int load(int argc, char** argv) {
  int at = 1;
  for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
    CHECK(library_count < LIBRARIES_MAX);
    libraries[library_count] = dlopen(argv[at], RTLD_NOW | RTLD_LOCAL);
    if (libraries[library_count] == NULL) fprintf(stderr, "%s\n", dlerror());
    CHECK(libraries[library_count] != NULL);
    library_count++;
  }
  CHECK(library_count > 0);
  return at + 1;
}

static void* find(const char* name) {
  for (int i = library_count - 1; i >= 0; i--) {
    void* symbol = dlsym(libraries[i], name);
    if (symbol != NULL) return symbol;
  }
  fprintf(stderr, "missing symbol: %s\n", name);
  exit(1);
}

/* Declares p_NAME as a pointer to the function of that name, typed as the header declares it. */
#define RESOLVE(name)                          \
  __typeof__(&name) p_##name = NULL;           \
  do {                                         \
    void* symbol = find(#name);                \
    memcpy(&p_##name, &symbol, sizeof symbol); \
  } while (0)

#endif
