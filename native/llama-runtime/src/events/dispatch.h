// The process-global reporter. One host installs it; everything that happens outside an observed open goes through here.
#pragma once

#include "events/event.h"

namespace mesh::llama {

// Gives the event to the installed reporter, with the next number of the process-wide sequence. Without a reporter it
// does nothing. The callback runs outside every lock, so events of two threads may arrive in either order.
void Dispatch(skippy_runtime_event_v1 event) noexcept;

}  // namespace mesh::llama
