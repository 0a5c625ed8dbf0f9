/*
 * Optional extensions of this project, outside the skippy ABI.
 *
 * The host looks each symbol up when it is first needed. A runtime without them is fully usable: an AbortSignal then ends
 * the waiting and the observation, and the native call runs on to its end. Both functions may be called from any thread, at
 * any time, also while the process exits, and never block: they set a flag that the running call polls.
 */
#ifndef MESH_NATIVE_ABI_MESH_EXT_H
#define MESH_NATIVE_ABI_MESH_EXT_H

#include "skippy.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* What both functions return. Read it as int32_t. */
enum mesh_cancel_result {
  MESH_CANCEL_REQUESTED = 0,  /* a running call was found and told to stop */
  MESH_CANCEL_NOT_RUNNING = 1 /* nothing runs under this key (not started yet, or already finished) */
};

/*
 * Asks the open whose reporter carries this user_data to stop. The host gives every open its own user_data, never NULL, and
 * a reporter with a callback, also when nobody observes. Because the request may arrive before the open has registered
 * itself, a caller repeats it while it gets MESH_CANCEL_NOT_RUNNING and its open has not returned.
 *
 * A cancelled open returns SKIPPY_STATUS_RUNTIME_ERROR, sets *out_model to NULL and emits FAILED_HANDLED with failure code
 * SKIPPY_EVENT_FAILURE_CANCELLED.
 */
SKIPPY_API int32_t mesh_cancel_open_v1(const void* reporter_user_data) SKIPPY_NOEXCEPT;

/*
 * Asks the prefill or decode that runs on this session to stop; it then returns SKIPPY_STATUS_RUNTIME_ERROR. The session
 * must be alive during the call. A request made while nothing runs has no effect on later calls. After a cancelled call the
 * session's position is undefined until skippy_session_reset.
 */
SKIPPY_API int32_t mesh_cancel_session_v1(struct skippy_session* session) SKIPPY_NOEXCEPT;

#if defined(__cplusplus)
} /* extern "C" */
#endif

#endif /* MESH_NATIVE_ABI_MESH_EXT_H */
