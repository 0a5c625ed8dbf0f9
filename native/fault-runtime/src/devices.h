#ifndef MESH_FAULT_RUNTIME_DEVICES_H
#define MESH_FAULT_RUNTIME_DEVICES_H

#include "skippy.h"

bool fault_device_known(const char* name);

#endif /* MESH_FAULT_RUNTIME_DEVICES_H */
