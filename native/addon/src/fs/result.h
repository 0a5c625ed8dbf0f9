#pragma once

#include <cerrno>

#include <napi.h>

namespace mesh::fs {

// What a face function answers when a system call failed: the errno as the kernel gave it, and which call it was. It is
// a value and not an exception, because only JavaScript knows the path that the message should name.
Napi::Value Failure(Napi::Env env, int error_number, const char* system_call);

// A wrong argument is a mistake of this package's own JavaScript, which checks everything that comes from outside.
Napi::Value WrongArgument(Napi::Env env, const char* expected);

// Runs a system call again for as long as a signal interrupts it. The call must be one that POSIX allows to repeat after
// EINTR, which close() is not: there the descriptor is already gone.
template <typename Call>
auto RetryInterrupted(Call call) -> decltype(call()) {
  for (;;) {
    auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

}  // namespace mesh::fs
