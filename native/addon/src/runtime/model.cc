#include "runtime/model.h"

#include "runtime/runtime_call.h"

namespace mesh::runtime {

namespace {

// Shares that could not be given up because the process was exiting. Never destroyed: exit handlers of the runtime may run
// before ours, and a model must not be freed after them.
class Abandoned {
 public:
  static void Keep(std::shared_ptr<void> share) {
    static Abandoned& abandoned = *new Abandoned();
    const std::lock_guard<std::mutex> lock(abandoned.mutex_);
    abandoned.shares_.push_back(std::move(share));
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<void>> shares_;
};

class Release final : public Operation {
 public:
  explicit Release(std::shared_ptr<void> share) : share_(std::move(share)) {}
  ~Release() override {
    if (share_ != nullptr) Abandoned::Keep(std::move(share_));
  }
  napi_value Result(napi_env) override { return nullptr; }

 private:
  void Run() override { share_.reset(); }

  std::shared_ptr<void> share_;
};

}  // namespace

void ReleaseOn(Lane& lane, std::shared_ptr<void> share) {
  if (share != nullptr) lane.Post(std::make_shared<Release>(std::move(share)));
}

ModelHolder::~ModelHolder() { ReleaseOn(*lane, std::move(model)); }

NativeModel::~NativeModel() {
  // There is nobody left to tell what it answers.
  CallRuntime(functions_, "skippy_model_free",
              [&](skippy_error** error) { return functions_.skippy_model_free(model_, error); });
}

std::optional<Failure> NativeModel::Tokenize(const std::string& text, bool add_special, std::vector<std::int32_t>& tokens) {
  const std::lock_guard<std::mutex> turn(mutex_);
  // A token is rarely shorter than a byte, and some are added.
  std::size_t count = text.size() + 16;
  for (int attempt = 0;; attempt += 1) {
    tokens.resize(count);
    const std::size_t capacity = count;
    std::optional<Failure> failure = CallRuntime(functions_, "skippy_tokenize", [&](skippy_error** error) {
      return functions_.skippy_tokenize(model_, text.c_str(), add_special, tokens.data(), capacity, &count, error);
    });
    if (!failure.has_value() && count <= capacity) {
      tokens.resize(count);
      return std::nullopt;
    }
    if (!IsBufferTooSmall(failure) || attempt > 0 || count <= capacity || count > kTokensMax) {
      return failure.has_value() ? failure
                                 : Failure{Failure::Kind::kStatus, "skippy_tokenize", SKIPPY_STATUS_OK,
                                           "it reported more tokens than it had room for"};
    }
  }
}

std::optional<Failure> NativeModel::Detokenize(const std::vector<std::int32_t>& tokens, std::string& bytes) {
  const std::lock_guard<std::mutex> turn(mutex_);
  std::size_t length = tokens.size() * 8 + 64;
  for (int attempt = 0;; attempt += 1) {
    bytes.resize(length);
    const std::size_t capacity = length;
    std::optional<Failure> failure = CallRuntime(functions_, "skippy_detokenize", [&](skippy_error** error) {
      return functions_.skippy_detokenize(model_, tokens.data(), tokens.size(), bytes.data(), capacity, &length, error);
    });
    if (!failure.has_value() && length <= capacity) {
      bytes.resize(length);
      return std::nullopt;
    }
    if (!IsBufferTooSmall(failure) || attempt > 0 || length <= capacity || length > kTextBytesMax) {
      return failure.has_value() ? failure
                                 : Failure{Failure::Kind::kStatus, "skippy_detokenize", SKIPPY_STATUS_OK,
                                           "it reported more bytes than it had room for"};
    }
  }
}

std::optional<Failure> NativeModel::IsEndOfGeneration(std::int32_t token, bool& is_end) {
  const std::lock_guard<std::mutex> turn(mutex_);
  // One byte by the ABI; read as such, since a bool that holds anything but 0 or 1 is undefined behaviour.
  std::uint8_t answer = 0;
  std::optional<Failure> failure = CallRuntime(functions_, "skippy_token_is_eog", [&](skippy_error** error) {
    return functions_.skippy_token_is_eog(model_, token, reinterpret_cast<bool*>(&answer), error);
  });
  is_end = answer != 0;
  return failure;
}

std::optional<Failure> NativeModel::DetokenizeAfter(std::int32_t before, std::int32_t token, std::string& bytes) {
  std::string prefix;
  if (auto failure = Detokenize({before}, prefix)) return failure;
  if (auto failure = Detokenize({before, token}, bytes)) return failure;
  if (bytes.compare(0, prefix.size(), prefix) == 0) {
    bytes.erase(0, prefix.size());
    return std::nullopt;
  }
  return Detokenize({token}, bytes);
}

std::optional<Failure> NativeModel::CreateSession(skippy_session*& session) {
  const std::lock_guard<std::mutex> turn(mutex_);
  std::optional<Failure> failure = CallRuntime(functions_, "skippy_session_create", [&](skippy_error** error) {
    return functions_.skippy_session_create(model_, &session, error);
  });
  if (failure.has_value() || session != nullptr) return failure;
  return Failure{Failure::Kind::kNullHandle, "skippy_session_create", {}, {}};
}

}  // namespace mesh::runtime
