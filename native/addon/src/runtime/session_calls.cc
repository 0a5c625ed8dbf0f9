#include "runtime/session_calls.h"

#include <algorithm>
#include <cstring>

#include "runtime/call.h"
#include "runtime/js_value.h"
#include "runtime/session.h"

namespace mesh::runtime {

namespace {

// A call on a session that must not be closed yet. It says where the session stands afterwards.
class SessionCall : public Call {
 public:
  explicit SessionCall(std::shared_ptr<SessionHolder> holder) : holder_(std::move(holder)) {}

 protected:
  virtual std::optional<Failure> RunOn(NativeSession& session) = 0;
  virtual void AddTo(JsObject&, napi_env) {}

 private:
  void Run() override {
    if (cancelled()) return Fail({Failure::Kind::kCancelled, {}, {}, {}});
    if (holder_->session == nullptr) return Fail({Failure::Kind::kClosed, {}, {}, {}});
    if (std::optional<Failure> failure = RunOn(*holder_->session)) Fail(std::move(*failure));
    position_ = holder_->session->Position();
  }

  // While Run is running nothing else runs on this lane, so the session stays.
  void Interrupt() noexcept override {
    if (holder_->session != nullptr) holder_->session->Cancel();
  }

  napi_value Value(napi_env env) override {
    JsObject value(env);
    value.Set("position", JsNumber(env, position_));
    AddTo(value, env);
    return value.value();
  }

  const std::shared_ptr<SessionHolder> holder_;
  std::int32_t position_ = 0;
};

class ResetCall final : public SessionCall {
 public:
  using SessionCall::SessionCall;

 private:
  std::optional<Failure> RunOn(NativeSession& session) override { return session.Reset(); }
};

class PrefillCall final : public SessionCall {
 public:
  PrefillCall(std::shared_ptr<SessionHolder> holder, std::vector<std::int32_t> tokens)
      : SessionCall(std::move(holder)), tokens_(std::move(tokens)) {}

 private:
  // In pieces of the size the runtime names, so that a long prompt can be cancelled between two of them.
  std::optional<Failure> RunOn(NativeSession& session) override {
    const std::size_t piece = session.BatchSize().value_or(tokens_.size());
    for (std::size_t done = 0; done < tokens_.size(); done += piece) {
      if (done > 0 && cancelled()) return Failure{Failure::Kind::kCancelled, "skippy_prefill_chunk", SKIPPY_STATUS_OK, {}};
      if (auto failure = session.Prefill(tokens_.data() + done, std::min(piece, tokens_.size() - done))) return failure;
    }
    return std::nullopt;
  }

  const std::vector<std::int32_t> tokens_;
};

class DecodeCall final : public SessionCall {
 public:
  DecodeCall(std::shared_ptr<SessionHolder> holder, std::int32_t token,
             const std::optional<skippy_sampling_config>& sampling)
      : SessionCall(std::move(holder)), token_(token), sampling_(sampling) {}

 private:
  // What a generation asks about each token is answered in the same hop.
  std::optional<Failure> RunOn(NativeSession& session) override {
    const skippy_sampling_config* const sampling = sampling_.has_value() ? &*sampling_ : nullptr;
    if (auto failure = session.Decode(token_, sampling, predicted_)) return failure;
    if (auto failure = session.model().IsEndOfGeneration(predicted_, is_end_)) return failure;
    if (is_end_) return std::nullopt;
    return session.model().DetokenizeAfter(token_, predicted_, bytes_);
  }

  void AddTo(JsObject& value, napi_env env) override {
    value.Set("token", JsNumber(env, predicted_)).Set("endOfGeneration", JsBoolean(env, is_end_));
    value.Set("bytes", JsBytes(env, bytes_.data(), bytes_.size()));
  }

  const std::int32_t token_;
  const std::optional<skippy_sampling_config> sampling_;
  std::int32_t predicted_ = 0;
  bool is_end_ = false;
  std::string bytes_;
};

class CloseSessionCall final : public Call {
 public:
  explicit CloseSessionCall(std::shared_ptr<SessionHolder> holder) : holder_(std::move(holder)) {}

 private:
  void Run() override { holder_->session.reset(); }
  napi_value Value(napi_env env) override { return JsNull(env); }

  const std::shared_ptr<SessionHolder> holder_;
};

// Null is greedy; anything else is a whole config.
bool ReadSampling(const Arguments& arguments, std::size_t index, std::optional<skippy_sampling_config>& sampling) {
  if (arguments.IsNull(index)) return true;
  ByteSpan bytes;
  if (!arguments.Read(index, bytes) || bytes.length != sizeof(skippy_sampling_config)) return false;
  std::memcpy(&sampling.emplace(), bytes.data, bytes.length);
  return sampling->logit_bias_count <= SKIPPY_SAMPLING_LOGIT_BIAS_MAX;
}

}  // namespace

napi_value CloseSession(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::shared_ptr<SessionHolder> holder;
  if (!arguments.Read(0, holder)) return ThrowWrongArgument(env, "expected a session");
  return StartCall(arguments, std::make_shared<CloseSessionCall>(holder), *holder->lane);
}

napi_value ResetSession(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::shared_ptr<SessionHolder> holder;
  if (!arguments.Read(0, holder)) return ThrowWrongArgument(env, "expected a session");
  return StartCall(arguments, std::make_shared<ResetCall>(holder), *holder->lane);
}

napi_value Prefill(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::shared_ptr<SessionHolder> holder;
  std::vector<std::int32_t> tokens;
  if (!arguments.Read(0, holder) || !arguments.Read(1, tokens)) {
    return ThrowWrongArgument(env, "expected a session and an Int32Array");
  }
  return StartCall(arguments, std::make_shared<PrefillCall>(holder, std::move(tokens)), *holder->lane);
}

napi_value Decode(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::shared_ptr<SessionHolder> holder;
  std::int32_t token = 0;
  std::optional<skippy_sampling_config> sampling;
  if (!arguments.Read(0, holder) || !arguments.Read(1, token) || !ReadSampling(arguments, 2, sampling)) {
    return ThrowWrongArgument(env, "expected a session, a token and a sampling config or null");
  }
  return StartCall(arguments, std::make_shared<DecodeCall>(holder, token, sampling), *holder->lane);
}

}  // namespace mesh::runtime
