#include <stdlib.h>
#include <unistd.h>

#include "errors.h"
#include "variant.h"

#if FAULT_CONSTRUCTOR != 0
__attribute__((constructor)) static void while_loading(void) {
  switch (FAULT_CONSTRUCTOR) {
    case FAULT_CONSTRUCTOR_CRASH:
      fault_crash();
    case FAULT_CONSTRUCTOR_EXIT:
      _exit(7);
    case FAULT_CONSTRUCTOR_SLOW:
      fault_sleep_ms(300);
      break;
    case FAULT_CONSTRUCTOR_SETENV:
      setenv("MESH_FAULT_RUNTIME_LOADED", "1", 1);
      break;
    default:
      abort();
  }
}
#endif

/* The library this runtime depends on when a variant says so; a call makes the dependency real for the linker. */
#if defined(FAULT_DEPENDENCY)
extern int fault_dependency_answer(void);
int fault_dependency_used(void) { return fault_dependency_answer(); }
#endif

/* A function that no library has: loading fails where symbols are bound at once, decoding would fail where lazily. */
#if defined(FAULT_UNDEFINED)
extern int fault_symbol_that_nobody_defines(void);
SKIPPY_API int fault_undefined_used(void);
int fault_undefined_used(void) { return fault_symbol_that_nobody_defines(); }
#endif
