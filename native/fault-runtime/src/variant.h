/*
 * What a variant of the fault runtime may change at compile time. A build sets macros from this list with -D; a symbol is
 * left out by renaming it (-Dskippy_tokenize=absent_skippy_tokenize), which needs nothing here. Behaviour of single opens
 * and sessions is no variant: the model path carries a script (script.h).
 */
#ifndef MESH_FAULT_RUNTIME_VARIANT_H
#define MESH_FAULT_RUNTIME_VARIANT_H

#include "skippy.h"

/* Version that skippy_abi_version reports. */
#ifndef FAULT_ABI_MAJOR
#  define FAULT_ABI_MAJOR SKIPPY_ABI_VERSION_MAJOR
#endif
#ifndef FAULT_ABI_MINOR
#  define FAULT_ABI_MINOR SKIPPY_ABI_VERSION_MINOR
#endif
#ifndef FAULT_ABI_PATCH
#  define FAULT_ABI_PATCH SKIPPY_ABI_VERSION_PATCH
#endif

/* Feature bits that skippy_abi_features reports: those of what this runtime really does, unless a variant lies. */
#ifndef FAULT_FEATURES
#  define FAULT_FEATURES                                                                                      \
    (SKIPPY_FEATURE_TOKENIZE_DETOKENIZE | SKIPPY_FEATURE_SESSION_RESET | SKIPPY_FEATURE_SAMPLING_CONFIG |     \
     SKIPPY_FEATURE_BACKEND_DEVICES | SKIPPY_FEATURE_RUNTIME_EVENTS | SKIPPY_FEATURE_RUNTIME_EVENT_REPORTER | \
     SKIPPY_FEATURE_MODEL_LOAD_EVENTS_V2 | SKIPPY_FEATURE_KV_EVENTS | SKIPPY_FEATURE_DEVICE_EVENTS |          \
     SKIPPY_FEATURE_DIAGNOSTIC_EVENTS | SKIPPY_FEATURE_UNLOAD_EVENTS)
#endif
/* Bits to add to and to take from the honest ones. */
#ifndef FAULT_FEATURES_ADDED
#  define FAULT_FEATURES_ADDED 0
#endif
#ifndef FAULT_FEATURES_REMOVED
#  define FAULT_FEATURES_REMOVED 0
#endif

/* What happens while the library is being loaded: 0 nothing, else one of FAULT_CONSTRUCTOR_*. */
#define FAULT_CONSTRUCTOR_CRASH 1  /* writes to address 0 */
#define FAULT_CONSTRUCTOR_EXIT 2   /* ends the process with status 7 */
#define FAULT_CONSTRUCTOR_SLOW 3   /* takes 300 ms */
#define FAULT_CONSTRUCTOR_SETENV 4 /* changes the environment, as a native library may */
#ifndef FAULT_CONSTRUCTOR
#  define FAULT_CONSTRUCTOR 0
#endif

/* 1: skippy_set_runtime_event_reporter refuses with UNSUPPORTED. */
#ifndef FAULT_SETTER_REFUSES
#  define FAULT_SETTER_REFUSES 0
#endif
/* Milliseconds that skippy_clear_runtime_event_reporter takes. */
#ifndef FAULT_CLEAR_SLEEP_MS
#  define FAULT_CLEAR_SLEEP_MS 0
#endif
/* Number of events sent through a reporter while its clear runs, as by a thread that the clear waits for. */
#ifndef FAULT_EVENTS_IN_CLEAR
#  define FAULT_EVENTS_IN_CLEAR 0
#endif
/* Number of events sent through a reporter after its clear returned: a runtime that breaks the contract. */
#ifndef FAULT_EVENTS_AFTER_CLEAR
#  define FAULT_EVENTS_AFTER_CLEAR 0
#endif
/* 1: the cancel extension answers that the request was taken, and nothing stops. */
#ifndef FAULT_CANCEL_IGNORED
#  define FAULT_CANCEL_IGNORED 0
#endif

#endif /* MESH_FAULT_RUNTIME_VARIANT_H */
