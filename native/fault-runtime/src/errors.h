#ifndef MESH_FAULT_RUNTIME_ERRORS_H
#define MESH_FAULT_RUNTIME_ERRORS_H

#include "skippy.h"

/* Hands out an error with a copy of the message (NULL stays NULL) and returns the status. */
int32_t fault_fail(skippy_error** out_error, int32_t status, const char* message);

/* Marks success: *out_error becomes NULL. */
int32_t fault_succeed(skippy_error** out_error);

/* The failure code that a status maps to (spec 1.4). */
uint32_t fault_failure_code_of(int32_t status);

/* Errors handed out and not freed yet, over the whole process: a host that leaks one is seen. */
int64_t fault_errors_alive(void);

/* Ends the process as a segmentation fault does. */
_Noreturn void fault_crash(void);

void fault_sleep_ms(uint64_t milliseconds);

#endif /* MESH_FAULT_RUNTIME_ERRORS_H */
