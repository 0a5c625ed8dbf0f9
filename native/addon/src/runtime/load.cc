#include "runtime/load.h"

#include "runtime/admission.h"
#include "runtime/call.h"
#include "runtime/js_value.h"
#include "runtime/process_exit.h"
#include "runtime/runtime_call.h"

namespace mesh::runtime {

namespace {

napi_value VersionValue(napi_env env, const AbiVersion& version) {
  napi_value array = nullptr;
  napi_create_array_with_length(env, version.size(), &array);
  for (std::uint32_t index = 0; index < version.size(); index += 1) {
    napi_set_element(env, array, index, JsNumber(env, version[index]));
  }
  return array;
}

napi_value LoadedValue(napi_env env, const AdmittedRuntime& runtime) {
  JsObject loaded(env);
  loaded.Set("libraries", JsStrings(env, runtime.libraries.paths())).Set("abi", VersionValue(env, runtime.abi));
  loaded.Set("features", runtime.features.has_value() ? JsBigInt(env, *runtime.features) : JsNull(env));
  loaded.Set("cancelsOpen", JsBoolean(env, runtime.functions.mesh_cancel_open_v1 != nullptr));
  loaded.Set("cancelsSession", JsBoolean(env, runtime.functions.mesh_cancel_session_v1 != nullptr));
  return loaded.value();
}

// One object for each way in which a runtime can be wrong; native.ts has the same list.
struct DifferenceValue {
  napi_env env;

  napi_value operator()(const LibraryOpenFailure& failure) const {
    JsObject object(env);
    object.Set("kind", "library-not-opened").Set("library", JsString(env, failure.library));
    object.Set("systemError", JsString(env, failure.system_error));
    object.Set("errno", failure.file_errno.has_value() ? JsNumber(env, *failure.file_errno) : JsNull(env));
    return object.Set("missingDependency", JsStringOrNull(env, failure.missing_dependency)).value();
  }
  napi_value operator()(const AbiSymbolMissing&) const {
    return JsObject(env).Set("kind", "abi-symbol-missing").Set("symbol", "skippy_abi_version").value();
  }
  napi_value operator()(const AbiMismatch& mismatch) const {
    JsObject object(env);
    object.Set("kind", "abi-version").Set("library", JsString(env, mismatch.library));
    object.Set("found", VersionValue(env, mismatch.found)).Set("required", VersionValue(env, kRequiredAbi));
    return object.value();
  }
  napi_value operator()(const SymbolMissing& missing) const {
    return JsObject(env).Set("kind", "symbol-missing").Set("symbol", JsString(env, missing.symbol)).value();
  }
};

struct AdmissionValue {
  napi_env env;

  napi_value operator()(const AdmittedRuntime* runtime) const {
    return JsObject(env).Set("kind", "loaded").Set("loaded", LoadedValue(env, *runtime)).value();
  }
  napi_value operator()(const Refused& refused) const {
    napi_value differences = nullptr;
    napi_create_array(env, &differences);
    std::uint32_t index = 0;
    for (const AdmissionDifference& difference : refused.differences) {
      napi_set_element(env, differences, index++, std::visit(DifferenceValue{env}, difference));
    }
    return JsObject(env).Set("kind", "refused").Set("differences", differences).value();
  }
  napi_value operator()(const AlreadyLoaded& already) const {
    return JsObject(env).Set("kind", "already-loaded").Set("libraries", JsStrings(env, already.libraries)).value();
  }
  napi_value operator()(const OtherCopy& other) const {
    JsObject object(env);
    object.Set("kind", "other-copy").Set("library", JsString(env, other.library));
    return object.Set("owner", JsStringOrNull(env, other.owner)).Set("self", JsString(env, other.self)).value();
  }
};

class LoadCall final : public Operation {
 public:
  explicit LoadCall(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  napi_value Result(napi_env env) override {
    if (!failure().has_value()) return std::visit(AdmissionValue{env}, admission_);
    JsObject outcome(env);
    if (failure()->kind == Failure::Kind::kExiting) return outcome.Set("kind", "exiting").value();
    outcome.Set("kind", failure()->kind == Failure::Kind::kThrew ? "threw" : "no-thread");
    return outcome.Set("message", JsString(env, failure()->message.value_or(""))).value();
  }

 private:
  void Run() override { admission_ = Admit(paths_); }

  const std::vector<std::string> paths_;
  Admission admission_;
};

struct Device {
  skippy_backend_device raw;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::string> device_id;
};

std::optional<std::string> TextOf(const char* text) {
  if (text == nullptr) return std::nullopt;
  return std::string(text);
}

class ListDevicesCall final : public Call {
 public:
  explicit ListDevicesCall(const RuntimeFunctions& functions) : functions_(functions) {}

 private:
  void Run() override {
    std::size_t count = 0;
    std::optional<Failure> failure = CallRuntime(functions_, "skippy_backend_device_count", [&](skippy_error** error) {
      return functions_.skippy_backend_device_count(&count, error);
    });
    for (std::size_t index = 0; index < count && !failure.has_value(); index += 1) {
      skippy_backend_device raw{};
      failure = CallRuntime(functions_, "skippy_backend_device_at",
                            [&](skippy_error** error) { return functions_.skippy_backend_device_at(index, &raw, error); });
      devices_.push_back({raw, TextOf(raw.name), TextOf(raw.description), TextOf(raw.device_id)});
    }
    if (failure.has_value()) Fail(std::move(*failure));
  }

  napi_value Value(napi_env env) override {
    napi_value devices = nullptr;
    napi_create_array(env, &devices);
    std::uint32_t index = 0;
    for (const Device& device : devices_) {
      JsObject object(env);
      object.Set("name", JsStringOrNull(env, device.name)).Set("description", JsStringOrNull(env, device.description));
      object.Set("deviceId", JsStringOrNull(env, device.device_id)).Set("type", JsNumber(env, device.raw.device_type));
      object.Set("memoryFree", JsBigInt(env, device.raw.memory_free));
      object.Set("memoryTotal", JsBigInt(env, device.raw.memory_total));
      object.Set("capabilities", JsBigInt(env, device.raw.caps));
      napi_set_element(env, devices, index++, object.value());
    }
    return devices;
  }

  const RuntimeFunctions& functions_;
  std::vector<Device> devices_;
};

}  // namespace

napi_value Load(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::vector<std::string> paths;
  if (arguments.environment() == nullptr || !arguments.Read(0, paths) || paths.empty()) {
    return ThrowWrongArgument(env, "expected an array of library paths");
  }
  return arguments.environment()->Start(std::make_shared<LoadCall>(std::move(paths)), *ProcessLane());
}

napi_value Loaded(napi_env env, napi_callback_info) {
  const AdmittedRuntime* const runtime = Admitted();
  return runtime == nullptr ? JsUndefined(env) : LoadedValue(env, *runtime);
}

napi_value HasSymbol(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  const AdmittedRuntime* const runtime = Admitted();
  std::string name;
  if (!arguments.Read(0, name)) return ThrowWrongArgument(env, "expected a symbol name");
  return JsBoolean(env, runtime != nullptr && runtime->libraries.Find(name.c_str()) != nullptr);
}

napi_value NoteExit(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::int32_t code = 0;
  if (!arguments.Read(0, code)) return ThrowWrongArgument(env, "expected an exit code");
  StopForExit(code);
  return JsUndefined(env);
}

napi_value ListDevices(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  const AdmittedRuntime* const runtime = Admitted();
  if (runtime == nullptr) return ThrowWrongArgument(env, "expected a loaded runtime");
  return StartCall(arguments, std::make_shared<ListDevicesCall>(runtime->functions), *ProcessLane());
}

}  // namespace mesh::runtime
