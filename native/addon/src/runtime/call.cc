#include "runtime/call.h"

#include "runtime/js_value.h"

namespace mesh::runtime {

namespace {

napi_value FailureValue(napi_env env, const Failure& failure, bool cancelled) {
  JsObject object(env);
  object.Set("function", JsString(env, failure.function));
  const napi_value status = failure.status.has_value() ? JsNumber(env, *failure.status) : JsNull(env);
  switch (failure.kind) {
    case Failure::Kind::kStatus:
      // What tells a cancelled call from a failed one is our own flag. The runtime's status and words may be the same.
      if (cancelled) return object.Set("kind", "cancelled").Set("status", status).value();
      object.Set("kind", "status").Set("status", status);
      return object.Set("message", JsStringOrNull(env, failure.message)).value();
    case Failure::Kind::kNullHandle:
      return object.Set("kind", "null-handle").value();
    case Failure::Kind::kThrew:
      return object.Set("kind", "threw").Set("message", JsString(env, failure.message.value_or(""))).value();
    case Failure::Kind::kCancelled:
      return object.Set("kind", "cancelled").Set("status", status).value();
    case Failure::Kind::kClosed:
      return object.Set("kind", "closed").value();
    case Failure::Kind::kExiting:
      return object.Set("kind", "exiting").value();
    case Failure::Kind::kNoThread:
      break;
  }
  return object.Set("kind", "no-thread").Set("message", JsString(env, failure.message.value_or(""))).value();
}

}  // namespace

napi_value Call::Result(napi_env env) {
  JsObject outcome(env);
  if (failure().has_value()) {
    outcome.Set("ok", JsBoolean(env, false)).Set("failure", FailureValue(env, *failure(), cancelled()));
  } else {
    outcome.Set("ok", JsBoolean(env, true)).Set("value", Value(env));
  }
  return outcome.value();
}

napi_value StartCall(const Arguments& arguments, const std::shared_ptr<Operation>& call, Lane& lane) {
  const napi_env env = arguments.env();
  if (arguments.environment() == nullptr) return ThrowWrongArgument(env, "an environment that can wait for native calls");
  const napi_value settled = arguments.environment()->Start(call, lane);
  if (settled == nullptr) return nullptr;
  return JsObject(env).Set("operation", WrapHandle<Operation>(env, call)).Set("settled", settled).value();
}

napi_value CancelOperation(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::shared_ptr<Operation> operation;
  if (!arguments.Read(0, operation)) return ThrowWrongArgument(env, "expected an operation");
  operation->Cancel();
  return JsUndefined(env);
}

}  // namespace mesh::runtime
