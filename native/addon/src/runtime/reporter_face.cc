#include "runtime/reporter_face.h"

#include <cstring>

#include "runtime/arguments.h"
#include "runtime/js_value.h"
#include "runtime/reporter.h"

namespace mesh::runtime {

namespace {

napi_value FailureKind(napi_env env, const Failure& failure) {
  JsObject outcome(env);
  if (failure.kind == Failure::Kind::kExiting) return outcome.Set("kind", "exiting").value();
  const bool threw = failure.kind == Failure::Kind::kThrew;
  outcome.Set("kind", threw ? "threw" : "no-thread");
  return outcome.Set("message", JsString(env, failure.message.value_or(""))).value();
}

class InstallCall final : public Operation {
 public:
  InstallCall(const RuntimeFunctions& functions, std::string owner, std::shared_ptr<Environment> environment)
      : functions_(functions), owner_(std::move(owner)), for_environment_(std::move(environment)) {}

  napi_value Result(napi_env env) override {
    if (failure().has_value()) return FailureKind(env, *failure());
    JsObject outcome(env);
    switch (installation_.result) {
      case Reporter::Result::kInstalled:
        outcome.Set("kind", "installed");
        return outcome.Set("generation", JsNumber(env, static_cast<double>(installation_.generation))).value();
      case Reporter::Result::kOwned:
        return outcome.Set("kind", "owned").Set("owner", JsString(env, installation_.owner)).value();
      case Reporter::Result::kRefused:
        return outcome.Set("kind", "refused").Set("status", JsNumber(env, installation_.status)).value();
      case Reporter::Result::kUnsupported:
        break;
    }
    return outcome.Set("kind", "unsupported").value();
  }

 private:
  void Run() override {
    // An environment that ended while this waited would never give the reporter back.
    if (cancelled()) return Fail({Failure::Kind::kExiting, {}, {}, {}});
    installation_ = Reporter::Get().Install(functions_, owner_, for_environment_.get());
    if (cancelled()) Reporter::Get().Clear(functions_, installation_.generation);
  }

  const RuntimeFunctions& functions_;
  const std::string owner_;
  const std::shared_ptr<Environment> for_environment_;
  Reporter::Installation installation_{Reporter::Result::kUnsupported, 0, {}, 0};
};

class ClearCall final : public Operation {
 public:
  ClearCall(const RuntimeFunctions& functions, std::uint64_t generation) : functions_(functions), generation_(generation) {}

  napi_value Result(napi_env env) override { return JsBoolean(env, cleared_); }

 private:
  void Run() override { cleared_ = Reporter::Get().Clear(functions_, generation_); }

  const RuntimeFunctions& functions_;
  const std::uint64_t generation_;
  bool cleared_ = false;
};

}  // namespace

napi_value InstallReporter(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  const AdmittedRuntime* const runtime = Admitted();
  std::string owner;
  if (runtime == nullptr || arguments.environment() == nullptr || !arguments.Read(0, owner)) {
    return ThrowWrongArgument(env, "expected a loaded runtime and an owner");
  }
  const auto call = std::make_shared<InstallCall>(runtime->functions, std::move(owner), arguments.environment());
  return arguments.environment()->Start(call, *ProcessLane());
}

napi_value ClearReporter(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  const AdmittedRuntime* const runtime = Admitted();
  std::int64_t generation = 0;
  if (runtime == nullptr || arguments.environment() == nullptr || !arguments.Read(0, generation)) {
    return ThrowWrongArgument(env, "expected a loaded runtime and a generation");
  }
  const auto call = std::make_shared<ClearCall>(runtime->functions, static_cast<std::uint64_t>(generation));
  return arguments.environment()->Start(call, *ProcessLane());
}

napi_value ReporterOwner(napi_env env, napi_callback_info) {
  const std::optional<std::string> owner = Reporter::Get().owner();
  return owner.has_value() ? JsString(env, *owner) : JsUndefined(env);
}

napi_value DrainReporter(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::int64_t generation = 0;
  std::int64_t records_max = 0;
  ByteSpan buffer;
  if (!arguments.Read(0, generation) || !arguments.Read(1, buffer) || !arguments.Read(2, records_max) || records_max < 0 ||
      static_cast<std::uint64_t>(records_max) > buffer.length / sizeof(EventRecord)) {
    return ThrowWrongArgument(env, "expected a generation and a buffer with room for the records");
  }
  if (!Reporter::Get().IsNewest(static_cast<std::uint64_t>(generation))) return JsNumber(env, -1);
  const std::size_t drained = Reporter::Get().queue().Drain(buffer.data, static_cast<std::size_t>(records_max));
  return JsNumber(env, static_cast<double>(drained));
}

napi_value ReadReporterCounters(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  ByteSpan into;
  if (!arguments.Read(0, into) || into.length != sizeof(Counters)) {
    return ThrowWrongArgument(env, "expected a BigUint64Array for the counters");
  }
  const Counters counters = Reporter::Get().queue().Read();
  std::memcpy(into.data, counters.data(), sizeof counters);
  return JsUndefined(env);
}

}  // namespace mesh::runtime
