#pragma once

#include <memory>

#include "runtime/arguments.h"
#include "runtime/operation.h"

namespace mesh::runtime {

template <>
struct HandleTag<Operation> {
  static constexpr napi_type_tag kTag = {0x1f64d5a9c3b84e07ULL, 0xa8c4e2f15d7b9036ULL};
};

// An operation whose promise is resolved with `{ ok: true, value }` or `{ ok: false, failure }`.
class Call : public Operation {
 public:
  napi_value Result(napi_env env) override;

 protected:
  // The value of a call that did not fail.
  virtual napi_value Value(napi_env env) = 0;
};

// Starts a call and gives JavaScript `{ operation, settled }`.
napi_value StartCall(const Arguments& arguments, const std::shared_ptr<Operation>& call, Lane& lane);

// As JavaScript's `cancel(operation)`.
napi_value CancelOperation(napi_env env, napi_callback_info info);

}  // namespace mesh::runtime
