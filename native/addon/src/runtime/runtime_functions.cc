#include "runtime/runtime_functions.h"

namespace mesh::runtime {

RuntimeFunctions RuntimeFunctions::Resolve(const LibrarySet& libraries, std::vector<std::string>& missing) {
  RuntimeFunctions functions;
#define MESH_FIND(name) functions.name = reinterpret_cast<decltype(functions.name)>(libraries.Find(#name));
#define MESH_REQUIRE(name) \
  MESH_FIND(name)          \
  if (functions.name == nullptr) missing.emplace_back(#name);
  SKIPPY_REQUIRED_SYMBOLS(MESH_REQUIRE)
  MESH_FIND(skippy_abi_features)
  MESH_FIND(skippy_model_open_with_events)
  MESH_FIND(skippy_model_open_from_parts_with_events)
  MESH_FIND(skippy_set_runtime_event_reporter)
  MESH_FIND(skippy_clear_runtime_event_reporter)
  MESH_FIND(skippy_session_batch_size)
  MESH_FIND(mesh_cancel_open_v1)
  MESH_FIND(mesh_cancel_session_v1)
#undef MESH_REQUIRE
#undef MESH_FIND
  return functions;
}

}  // namespace mesh::runtime
