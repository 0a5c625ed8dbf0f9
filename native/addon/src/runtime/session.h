#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/model.h"

namespace mesh::runtime {

// A native session. Used on its holder's lane alone, since the ABI gives a session to one thread at a time; it keeps its
// model, and is freed before it.
class NativeSession {
 public:
  NativeSession(std::shared_ptr<NativeModel> model, skippy_session* session);
  ~NativeSession();
  NativeSession(const NativeSession&) = delete;
  NativeSession& operator=(const NativeSession&) = delete;

  // Tokens the runtime takes in one piece; nothing when it does not say.
  std::optional<std::size_t> BatchSize() const;
  std::optional<Failure> Prefill(const std::int32_t* tokens, std::size_t count);
  std::optional<Failure> Decode(std::int32_t token, const skippy_sampling_config* sampling, std::int32_t& predicted);
  std::optional<Failure> Reset();
  std::int32_t Position() const;
  // Asks the running call to stop. Any thread, as long as the session is alive.
  void Cancel() const noexcept;

  NativeModel& model() const { return *model_; }

 private:
  const std::shared_ptr<NativeModel> model_;
  const RuntimeFunctions& functions_;
  skippy_session* const session_;
};

// What JavaScript holds: the session until it is closed. `session` is touched on the lane alone, except that a running call
// may be cancelled through the share it holds itself.
struct SessionHolder {
  SessionHolder(std::shared_ptr<Lane> on, std::shared_ptr<NativeSession> holds)
      : lane(std::move(on)), session(std::move(holds)) {}
  ~SessionHolder();
  SessionHolder(const SessionHolder&) = delete;
  SessionHolder& operator=(const SessionHolder&) = delete;

  const std::shared_ptr<Lane> lane;
  std::shared_ptr<NativeSession> session;
};

template <>
struct HandleTag<SessionHolder> {
  static constexpr napi_type_tag kTag = {0xc7e09b4d21f84a35ULL, 0x8e5bd3a6f0174c92ULL};
};

}  // namespace mesh::runtime
