#pragma once

#include <string>
#include <vector>

#include "mesh_ext.h"
#include "runtime/library_set.h"
#include "skippy.h"

namespace mesh::runtime {

// The type of a pointer to an ABI function, without the promise not to throw: a foreign runtime may break it, and a catch
// around a call that is promised not to throw is compiled away.
template <typename Pointer>
struct MayThrow;
template <typename Result, typename... Arguments>
struct MayThrow<Result (*)(Arguments...) noexcept> {
  using Type = Result (*)(Arguments...);
};

// The functions of an admitted runtime. The required ones are never null; of the others, each may be.
struct RuntimeFunctions {
#define MESH_DECLARE(name) MayThrow<decltype(&::name)>::Type name = nullptr;
  SKIPPY_REQUIRED_SYMBOLS(MESH_DECLARE)
  MESH_DECLARE(skippy_abi_features)
  MESH_DECLARE(skippy_model_open_with_events)
  MESH_DECLARE(skippy_model_open_from_parts_with_events)
  MESH_DECLARE(skippy_set_runtime_event_reporter)
  MESH_DECLARE(skippy_clear_runtime_event_reporter)
  MESH_DECLARE(skippy_session_batch_size)
  MESH_DECLARE(mesh_cancel_open_v1)
  MESH_DECLARE(mesh_cancel_session_v1)
#undef MESH_DECLARE

  // Looks every function up; names of required ones that are missing are in `missing`.
  static RuntimeFunctions Resolve(const LibrarySet& libraries, std::vector<std::string>& missing);
};

}  // namespace mesh::runtime
