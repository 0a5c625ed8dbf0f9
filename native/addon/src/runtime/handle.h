#pragma once

#include <node_api.h>

#include <memory>
#include <utility>

namespace mesh::runtime {

// The type tag of a native class, so that an object of another class, or of another addon, is refused instead of misread.
// Every class that JavaScript can hold specialises it with two random numbers.
template <typename Native>
struct HandleTag;

// Gives JavaScript a share of a native object. When it is collected, the share is given up on the JavaScript thread: the
// destructors of such classes therefore never call a runtime, they pass what they own to a lane.
template <typename Native>
napi_value WrapHandle(napi_env env, std::shared_ptr<Native> native) {
  auto* const share = new std::shared_ptr<Native>(std::move(native));
  napi_value external = nullptr;
  const auto give_up = [](napi_env, void* data, void*) { delete static_cast<std::shared_ptr<Native>*>(data); };
  if (napi_create_external(env, share, give_up, nullptr, &external) != napi_ok) {
    delete share;
    return nullptr;
  }
  napi_type_tag_object(env, external, &HandleTag<Native>::kTag);
  return external;
}

// Null when the value is not such a handle.
template <typename Native>
std::shared_ptr<Native> UnwrapHandle(napi_env env, napi_value value) {
  napi_valuetype type = napi_undefined;
  bool is_tagged = false;
  void* share = nullptr;
  if (napi_typeof(env, value, &type) != napi_ok || type != napi_external) return nullptr;
  if (napi_check_object_type_tag(env, value, &HandleTag<Native>::kTag, &is_tagged) != napi_ok || !is_tagged) return nullptr;
  if (napi_get_value_external(env, value, &share) != napi_ok) return nullptr;
  return *static_cast<std::shared_ptr<Native>*>(share);
}

}  // namespace mesh::runtime
