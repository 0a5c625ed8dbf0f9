#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/failure.h"
#include "runtime/handle.h"
#include "runtime/lane.h"
#include "runtime/runtime_functions.h"

namespace mesh::runtime {

// Tokens, and bytes, that one conversion may give. A runtime that asks for more is not believed.
inline constexpr std::size_t kTokensMax = std::size_t{1} << 24;
inline constexpr std::size_t kTextBytesMax = std::size_t{1} << 28;

// A native model, shared by its holder and its sessions; the last of them frees it, and does so on a lane. Calls that only
// need the model take turns, since the ABI does not promise that a model may be used by two threads.
class NativeModel {
 public:
  NativeModel(const RuntimeFunctions& functions, skippy_model* model) : functions_(functions), model_(model) {}
  ~NativeModel();
  NativeModel(const NativeModel&) = delete;
  NativeModel& operator=(const NativeModel&) = delete;

  std::optional<Failure> Tokenize(const std::string& text, bool add_special, std::vector<std::int32_t>& tokens);
  std::optional<Failure> Detokenize(const std::vector<std::int32_t>& tokens, std::string& bytes);
  std::optional<Failure> IsEndOfGeneration(std::int32_t token, bool& is_end);
  // What `token` adds to a text in which it follows `before`: some tokens are written differently at the beginning.
  std::optional<Failure> DetokenizeAfter(std::int32_t before, std::int32_t token, std::string& bytes);
  std::optional<Failure> CreateSession(skippy_session*& session);

  const RuntimeFunctions& functions() const { return functions_; }

 private:
  const RuntimeFunctions& functions_;
  skippy_model* const model_;
  std::mutex mutex_;
};

// What JavaScript holds: a share of the model until it is closed, and the lane on which its calls run. `model` is touched on
// that lane alone.
struct ModelHolder {
  ModelHolder(std::shared_ptr<Lane> on, std::shared_ptr<NativeModel> holds) : lane(std::move(on)), model(std::move(holds)) {}
  ~ModelHolder();
  ModelHolder(const ModelHolder&) = delete;
  ModelHolder& operator=(const ModelHolder&) = delete;

  const std::shared_ptr<Lane> lane;
  std::shared_ptr<NativeModel> model;
};

// Gives up a share of something native on a lane, because giving up the last one calls the runtime.
void ReleaseOn(Lane& lane, std::shared_ptr<void> share);

template <>
struct HandleTag<ModelHolder> {
  static constexpr napi_type_tag kTag = {0x5a1c6f0e8f8c4b6dULL, 0x9d0f3c1be2a75e43ULL};
};

}  // namespace mesh::runtime
