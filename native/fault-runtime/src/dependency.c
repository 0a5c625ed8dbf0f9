/* A library of its own, in the folder of the runtime that depends on it. */
__attribute__((visibility("default"))) int fault_dependency_answer(void);

int fault_dependency_answer(void) { return 42; }
