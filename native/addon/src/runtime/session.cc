#include "runtime/session.h"

#include "runtime/runtime_call.h"

namespace mesh::runtime {

NativeSession::NativeSession(std::shared_ptr<NativeModel> model, skippy_session* session)
    : model_(std::move(model)), functions_(model_->functions()), session_(session) {}

NativeSession::~NativeSession() {
  // There is nobody left to tell what it answers.
  CallRuntime(functions_, "skippy_session_free",
              [&](skippy_error** error) { return functions_.skippy_session_free(session_, error); });
}

SessionHolder::~SessionHolder() { ReleaseOn(*lane, std::move(session)); }

std::optional<std::size_t> NativeSession::BatchSize() const {
  if (functions_.skippy_session_batch_size == nullptr) return std::nullopt;
  const std::int32_t size = functions_.skippy_session_batch_size(session_);
  if (size <= 0) return std::nullopt;
  return static_cast<std::size_t>(size);
}

std::optional<Failure> NativeSession::Prefill(const std::int32_t* tokens, std::size_t count) {
  return CallRuntime(functions_, "skippy_prefill_chunk", [&](skippy_error** error) {
    std::size_t output_bytes = 0;
    return functions_.skippy_prefill_chunk(session_, tokens, count, nullptr, 0, nullptr, 0, &output_bytes, error);
  });
}

std::optional<Failure> NativeSession::Decode(std::int32_t token, const skippy_sampling_config* sampling,
                                             std::int32_t& predicted) {
  return CallRuntime(functions_, "skippy_decode_step_sampled", [&](skippy_error** error) {
    std::size_t output_bytes = 0;
    return functions_.skippy_decode_step_sampled(session_, token, sampling, nullptr, 0, nullptr, 0, &output_bytes,
                                                 &predicted, error);
  });
}

std::optional<Failure> NativeSession::Reset() {
  return CallRuntime(functions_, "skippy_session_reset",
                     [&](skippy_error** error) { return functions_.skippy_session_reset(session_, error); });
}

std::int32_t NativeSession::Position() const { return functions_.skippy_session_position(session_); }

void NativeSession::Cancel() const noexcept {
  if (functions_.mesh_cancel_session_v1 != nullptr) functions_.mesh_cancel_session_v1(session_);
}

}  // namespace mesh::runtime
