#ifndef MESH_FAULT_RUNTIME_REPORTER_H
#define MESH_FAULT_RUNTIME_REPORTER_H

#include "events.h"

/* The sink of the process-wide reporter: delivers to whoever is installed, and keeps clear waiting meanwhile. */
fault_sink* fault_process_sink(void);

#endif /* MESH_FAULT_RUNTIME_REPORTER_H */
