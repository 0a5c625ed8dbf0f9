#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <unordered_set>

namespace mesh::runtime {

class Operation;

// How long the end of the process waits for native calls that were told to stop.
inline constexpr std::chrono::milliseconds kExitJoinMsMax{2000};
// How often they are told again: a call that has only just begun may not have heard it.
inline constexpr std::chrono::milliseconds kExitCancelRetryMs{10};

// The native calls that run now, in all environments. Never destroyed.
class RunningOperations {
 public:
  static RunningOperations& Get();

  // False when the process is exiting: nothing new begins then.
  bool Enter(Operation& operation);
  void Leave(Operation& operation);

  // Refuses new calls from here on, cancels the running ones until they are gone or the time is over, once for the whole
  // process. True when nothing runs any more.
  bool StopAndJoin();
  bool exiting();

 private:
  std::mutex mutex_;
  std::condition_variable idle_;
  std::unordered_set<Operation*> running_;
  bool exiting_ = false;
  std::chrono::steady_clock::time_point deadline_{};
};

// Registers the last guard with the C library, in front of every exit handler registered so far. When the process exits by
// whatever way while a native call cannot be stopped, the guard ends it at once with the same status: going on would tear
// down what the call stands on (seen: a crash in four of six exits during a decode).
void GuardProcessExit();

// The exit of the main environment: cancels and joins, and puts the guard in front once more when something still runs.
void StopForExit(int exit_code);

}  // namespace mesh::runtime
