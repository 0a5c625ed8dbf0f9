#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/admission.h"
#include "runtime/event_queue.h"

namespace mesh::runtime {

class Environment;

// Records the process-wide ring holds.
inline constexpr std::size_t kReporterRecords = 1024;

// The one process-wide reporter. Installing and clearing run on the process lane, one after another, because both wait for
// callbacks; the callback itself takes no lock of these. An owner is known by its generation, which nobody has twice, so
// that an owner of the past can change nothing.
class Reporter {
 public:
  enum class Result : std::uint8_t { kInstalled, kOwned, kRefused, kUnsupported };
  struct Installation {
    Result result;
    std::uint64_t generation = 0;
    std::string owner;
    std::int32_t status = SKIPPY_STATUS_OK;
  };

  // Never destroyed: the runtime may call back until the process is gone.
  static Reporter& Get();

  // On the process lane.
  Installation Install(const RuntimeFunctions& functions, const std::string& owner, const Environment* environment);
  // False when this generation is not the installed one, and then nothing was changed. On the process lane.
  bool Clear(const RuntimeFunctions& functions, std::uint64_t generation);
  // Clears for an environment that ended without doing so. Its own thread; does not wait.
  void EnvironmentEnded(const Environment* environment);

  std::optional<std::string> owner();
  // Whether this generation is the newest, so that the ring is its own to drain, also after it was cleared.
  bool IsNewest(std::uint64_t generation);
  EventQueue& queue() { return queue_; }

 private:
  EventQueue queue_;
  std::mutex mutex_;
  bool has_ring_ = false;
  bool installed_ = false;
  std::uint64_t generation_ = 0;
  std::string owner_;
  const Environment* environment_ = nullptr;
};

}  // namespace mesh::runtime
