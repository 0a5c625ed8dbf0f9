/*
 * Entry points that throw through the C boundary, which a runtime must never do (it was seen in the field). The ABI header
 * declares them noexcept, so this file declares its own.
 */
#include <stdexcept>

/* The C functions of these names are left out of this variant by renaming; here the names mean themselves. */
#undef skippy_model_open
#undef skippy_model_open_from_parts
#undef skippy_model_open_with_events
#undef skippy_model_open_from_parts_with_events

#define FAULT_EXPORT extern "C" __attribute__((visibility("default")))

FAULT_EXPORT int skippy_model_open(...);
FAULT_EXPORT int skippy_model_open_from_parts(...);
FAULT_EXPORT int skippy_model_open_with_events(...);
FAULT_EXPORT int skippy_model_open_from_parts_with_events(...);

int skippy_model_open(...) { throw std::runtime_error("thrown by the native open"); }
int skippy_model_open_from_parts(...) { throw std::runtime_error("thrown by the native open"); }
int skippy_model_open_with_events(...) { throw std::runtime_error("thrown by the native open"); }
int skippy_model_open_from_parts_with_events(...) { throw std::runtime_error("thrown by the native open"); }
