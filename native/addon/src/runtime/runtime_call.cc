#include "runtime/runtime_call.h"

namespace mesh::runtime {

std::optional<std::string> TakeMessage(const RuntimeFunctions& functions, skippy_error* error) {
  if (error == nullptr) return std::nullopt;
  std::optional<std::string> message;
  if (error->message != nullptr) message = error->message;
  functions.skippy_error_free(error);
  return message;
}

}  // namespace mesh::runtime
