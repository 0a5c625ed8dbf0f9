/*
 * The C ABI between a host and a native runtime, version 0.1.54, in the profile this project speaks.
 *
 * A native runtime is one or more shared libraries that export these functions. The host admits a runtime only when
 * skippy_abi_version() equals 0.1.54 exactly: signatures and struct layouts may differ between patches, and several structs
 * carry no size field that could reveal it. Every offset and size is pinned in skippy/layout.h, in C11 and in C++.
 *
 * The event side is complete; of the model side this header holds what the profile uses. skippy_runtime_config is our
 * reading of that patch. Sixty-four-bit targets only.
 *
 * Ownership, once for all functions:
 *   - pointers given to a function are borrowed for the call and never kept, except a reporter set by
 *     skippy_set_runtime_event_reporter, whose callback and user_data live until the matching clear returns;
 *   - an error handed out through out_error belongs to the caller and is released by skippy_error_free alone;
 *   - out_error may be NULL; on success *out_error is set to NULL;
 *   - no function throws or unwinds into its caller.
 */
#ifndef MESH_NATIVE_ABI_SKIPPY_H
#define MESH_NATIVE_ABI_SKIPPY_H

#include "skippy/codes.h"
#include "skippy/data.h"
#include "skippy/event.h"
#include "skippy/functions.h"
#include "skippy/layout.h"
#include "skippy/linkage.h"
#include "skippy/version.h"

#endif /* MESH_NATIVE_ABI_SKIPPY_H */
