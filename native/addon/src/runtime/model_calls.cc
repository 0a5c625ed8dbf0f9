#include "runtime/model_calls.h"

#include "runtime/call.h"
#include "runtime/js_value.h"
#include "runtime/model.h"
#include "runtime/session.h"

namespace mesh::runtime {

namespace {

// A call on a model that must not be closed yet.
class ModelCall : public Call {
 public:
  explicit ModelCall(std::shared_ptr<ModelHolder> holder) : holder_(std::move(holder)) {}

 protected:
  virtual std::optional<Failure> RunOn(const std::shared_ptr<NativeModel>& model) = 0;

 private:
  void Run() override {
    if (holder_->model == nullptr) return Fail({Failure::Kind::kClosed, {}, {}, {}});
    if (std::optional<Failure> failure = RunOn(holder_->model)) Fail(std::move(*failure));
  }

  const std::shared_ptr<ModelHolder> holder_;
};

class TokenizeCall final : public ModelCall {
 public:
  TokenizeCall(std::shared_ptr<ModelHolder> holder, std::string text, bool add_special)
      : ModelCall(std::move(holder)), text_(std::move(text)), add_special_(add_special) {}

 private:
  std::optional<Failure> RunOn(const std::shared_ptr<NativeModel>& model) override {
    return model->Tokenize(text_, add_special_, tokens_);
  }
  napi_value Value(napi_env env) override { return JsInt32s(env, tokens_); }

  const std::string text_;
  const bool add_special_;
  std::vector<std::int32_t> tokens_;
};

class DetokenizeCall final : public ModelCall {
 public:
  DetokenizeCall(std::shared_ptr<ModelHolder> holder, std::vector<std::int32_t> tokens)
      : ModelCall(std::move(holder)), tokens_(std::move(tokens)) {}

 private:
  std::optional<Failure> RunOn(const std::shared_ptr<NativeModel>& model) override {
    return model->Detokenize(tokens_, bytes_);
  }
  napi_value Value(napi_env env) override { return JsBytes(env, bytes_.data(), bytes_.size()); }

  const std::vector<std::int32_t> tokens_;
  std::string bytes_;
};

class TokenIsEogCall final : public ModelCall {
 public:
  TokenIsEogCall(std::shared_ptr<ModelHolder> holder, std::int32_t token) : ModelCall(std::move(holder)), token_(token) {}

 private:
  std::optional<Failure> RunOn(const std::shared_ptr<NativeModel>& model) override {
    return model->IsEndOfGeneration(token_, is_end_);
  }
  napi_value Value(napi_env env) override { return JsBoolean(env, is_end_); }

  const std::int32_t token_;
  bool is_end_ = false;
};

class CreateSessionCall final : public ModelCall {
 public:
  explicit CreateSessionCall(std::shared_ptr<ModelHolder> holder) : ModelCall(std::move(holder)) {}

 private:
  std::optional<Failure> RunOn(const std::shared_ptr<NativeModel>& model) override {
    skippy_session* session = nullptr;
    if (auto failure = model->CreateSession(session)) return failure;
    session_ = std::make_shared<SessionHolder>(Lane::Create(), std::make_shared<NativeSession>(model, session));
    return std::nullopt;
  }
  napi_value Value(napi_env env) override { return WrapHandle(env, std::move(session_)); }

  std::shared_ptr<SessionHolder> session_;
};

// Closing what is closed is no failure: it is.
class CloseModelCall final : public Call {
 public:
  explicit CloseModelCall(std::shared_ptr<ModelHolder> holder) : holder_(std::move(holder)) {}

 private:
  void Run() override { holder_->model.reset(); }
  napi_value Value(napi_env env) override { return JsNull(env); }

  const std::shared_ptr<ModelHolder> holder_;
};

}  // namespace

napi_value CloseModel(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::shared_ptr<ModelHolder> holder;
  if (!arguments.Read(0, holder)) return ThrowWrongArgument(env, "expected a model");
  return StartCall(arguments, std::make_shared<CloseModelCall>(holder), *holder->lane);
}

napi_value Tokenize(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::shared_ptr<ModelHolder> holder;
  std::string text;
  bool add_special = false;
  if (!arguments.Read(0, holder) || !arguments.Read(1, text) || !arguments.Read(2, add_special)) {
    return ThrowWrongArgument(env, "expected a model, a text and a boolean");
  }
  return StartCall(arguments, std::make_shared<TokenizeCall>(holder, std::move(text), add_special), *holder->lane);
}

napi_value Detokenize(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::shared_ptr<ModelHolder> holder;
  std::vector<std::int32_t> tokens;
  if (!arguments.Read(0, holder) || !arguments.Read(1, tokens)) {
    return ThrowWrongArgument(env, "expected a model and an Int32Array");
  }
  return StartCall(arguments, std::make_shared<DetokenizeCall>(holder, std::move(tokens)), *holder->lane);
}

napi_value TokenIsEog(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::shared_ptr<ModelHolder> holder;
  std::int32_t token = 0;
  if (!arguments.Read(0, holder) || !arguments.Read(1, token)) {
    return ThrowWrongArgument(env, "expected a model and a token");
  }
  return StartCall(arguments, std::make_shared<TokenIsEogCall>(holder, token), *holder->lane);
}

napi_value CreateSession(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::shared_ptr<ModelHolder> holder;
  if (!arguments.Read(0, holder)) return ThrowWrongArgument(env, "expected a model");
  return StartCall(arguments, std::make_shared<CreateSessionCall>(holder), *holder->lane);
}

}  // namespace mesh::runtime
