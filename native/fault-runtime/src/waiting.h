#ifndef MESH_FAULT_RUNTIME_WAITING_H
#define MESH_FAULT_RUNTIME_WAITING_H

#include <stdatomic.h>

#include "script.h"
#include "skippy.h"

/* How long a step waits for something the test does before it gives up and the call fails. */
#define FAULT_WAIT_MS_MAX 30000u

/* Waits until the file that the value names exists; false after FAULT_WAIT_MS_MAX. A test steers a call with it, clock-free.
 */
bool fault_wait_for_file(fault_slice path);

/* Creates the file that the value names: tells a test that the call has come this far. */
void fault_touch_file(fault_slice path);

/* Waits until the flag is set; false after the given time. */
bool fault_wait_for_flag(const _Atomic bool* flag, uint64_t milliseconds_max);

/* After a delay, on a thread of its own, calls the reporter's callback: what a sound runtime never does. */
void fault_call_later(const skippy_runtime_event_reporter_v1* reporter, uint64_t milliseconds, uint64_t count);

#endif /* MESH_FAULT_RUNTIME_WAITING_H */
