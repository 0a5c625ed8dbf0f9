#ifndef MESH_FAULT_RUNTIME_MODEL_H
#define MESH_FAULT_RUNTIME_MODEL_H

#include <stdatomic.h>

#include "script.h"
#include "skippy.h"

/* Tokens are bytes; two numbers beyond them are special. */
#define FAULT_TOKEN_END 256
#define FAULT_TOKEN_BEGIN 257

struct skippy_model {
  char* script_text;
  fault_slice script;
  /* What decoding produces, byte by byte, before it ends. */
  char* text;
  size_t text_length;
  int64_t context_tokens;
};

struct skippy_session {
  skippy_model* model;
  int64_t position;
  size_t generated;
  _Atomic bool running;
  _Atomic bool cancelled;
};

#endif /* MESH_FAULT_RUNTIME_MODEL_H */
