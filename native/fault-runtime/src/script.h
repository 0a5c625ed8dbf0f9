/*
 * The script that a model path may carry: everything after the first "script:" is a list of steps, separated by ';'. A step
 * is NAME or NAME=VALUE; a value may have fields separated by ',' each KEY or KEY:VALUE. In values %XX stands for the byte
 * XX (the way to write a separator). Unknown steps fail the open, so that a misspelt test cannot pass.
 */
#ifndef MESH_FAULT_RUNTIME_SCRIPT_H
#define MESH_FAULT_RUNTIME_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of the script, not NUL-terminated. */
typedef struct fault_slice {
  const char* start;
  size_t length;
} fault_slice;

/* The script of a path, or the one of a well-behaved open when the path carries none. */
fault_slice fault_script_of(const char* path);

/* Takes the next piece up to the separator; false at the end. */
bool fault_slice_next(fault_slice* rest, char separator, fault_slice* out_piece);

/* Splits a piece at its first separator; the value is empty when there is none. */
void fault_slice_split(fault_slice piece, char separator, fault_slice* out_name, fault_slice* out_value);

bool fault_slice_is(fault_slice slice, const char* text);

/* The number that a piece is, decimal or 0x; fallback when it is empty. Negative numbers wrap, for signed fields. */
uint64_t fault_slice_number(fault_slice slice, uint64_t fallback);

/* The bytes that a value stands for, with %XX decoded, in a new NUL-terminated block; the caller frees it. */
char* fault_slice_text(fault_slice slice, size_t* out_length);

/* Looks a step up by name in a whole script: true and its value when the script has it. */
bool fault_script_find(fault_slice script, const char* name, fault_slice* out_value);

/* A step's number, or the fallback when the script does not have the step. */
uint64_t fault_script_number(fault_slice script, const char* name, uint64_t fallback);

#endif /* MESH_FAULT_RUNTIME_SCRIPT_H */
