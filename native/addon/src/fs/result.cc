#include "fs/result.h"

namespace mesh::fs {

Napi::Value Failure(Napi::Env env, int error_number, const char* system_call) {
  Napi::Object failure = Napi::Object::New(env);
  failure.Set("errno", Napi::Number::New(env, error_number));
  failure.Set("syscall", Napi::String::New(env, system_call));
  return failure;
}

Napi::Value WrongArgument(Napi::Env env, const char* expected) {
  Napi::TypeError::New(env, expected).ThrowAsJavaScriptException();
  return env.Undefined();
}

}  // namespace mesh::fs
