#include "runtime/model_open.h"

#include <cstring>

#include "runtime/admission.h"
#include "runtime/call.h"
#include "runtime/event_queue.h"
#include "runtime/js_value.h"
#include "runtime/model.h"
#include "runtime/queue_face.h"
#include "runtime/reporter.h"
#include "runtime/runtime_call.h"

namespace mesh::runtime {

namespace {

// Kinds from here on are structured; those below belong to the queue of their open alone (spec 1.4, 2.2).
constexpr std::uint32_t kStructuredKindMin = 100;

// The callback of an open without a queue. Such an open has a reporter all the same, because that is the name by which it
// can be cancelled; but the structured events, which the runtime would tell the process's reporter if the open had none of
// its own (spec 2.1), must not be lost for that. They are handed on. The user_data is not touched: a late callback must find
// nothing that is gone.
void HandOnStructuredEvent(const skippy_runtime_event_v1* event, void*) noexcept {
  EventQueue& queue = Reporter::Get().queue();
  if (!queue.is_open()) return;
  if (CheckEvent(event).rejection == Rejection::kNone && event->kind < kStructuredKindMin) return;
  queue.Deliver(event);
}

// What an open was asked for, kept until it returned.
struct OpenRequest {
  std::vector<std::string> paths;
  bool from_parts = false;
  skippy_runtime_config config{};
  std::optional<std::string> selected_backend_device;
  std::shared_ptr<PooledQueue> queue;
};

class OpenModelCall final : public Call {
 public:
  OpenModelCall(const AdmittedRuntime& runtime, OpenRequest request, std::shared_ptr<Lane> lane)
      : runtime_(runtime), request_(std::move(request)), lane_(std::move(lane)) {
    if (request_.selected_backend_device.has_value()) {
      request_.config.selected_backend_device = request_.selected_backend_device->c_str();
    }
  }

 private:
  // The name under which the runtime knows this open, and where it delivers: never null, and unique while it runs.
  void* ReporterUserData() { return request_.queue == nullptr ? static_cast<void*>(this) : &request_.queue->queue(); }

  void Run() override {
    const char* const name = FunctionName();
    if (cancelled()) return Fail({Failure::Kind::kCancelled, name, {}, {}});
    // Made here at the latest: the callback must not be the one that allocates it.
    Reporter::Get();
    skippy_model* model = nullptr;
    std::optional<Failure> failure = CallRuntime(runtime_.functions, name, [&](skippy_error** error) {
      return runtime_.opens_with_events ? OpenWithEvents(&model, error) : OpenPlainly(&model, error);
    });
    // No callback belongs to this open any more; one that still comes is counted as such.
    if (request_.queue != nullptr) request_.queue->queue().End();
    if (failure.has_value()) return Fail(std::move(*failure));
    if (model == nullptr) return Fail({Failure::Kind::kNullHandle, name, {}, {}});
    holder_ = std::make_shared<ModelHolder>(lane_, std::make_shared<NativeModel>(runtime_.functions, model));
  }

  const char* FunctionName() const {
    if (request_.from_parts) {
      return runtime_.opens_with_events ? "skippy_model_open_from_parts_with_events" : "skippy_model_open_from_parts";
    }
    return runtime_.opens_with_events ? "skippy_model_open_with_events" : "skippy_model_open";
  }

  std::int32_t OpenWithEvents(skippy_model** model, skippy_error** error) {
    const RuntimeFunctions& functions = runtime_.functions;
    const auto callback = request_.queue == nullptr ? &HandOnStructuredEvent : &DeliverToQueue;
    const skippy_runtime_event_reporter_v1 reporter = {SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION, sizeof reporter, callback,
                                                       ReporterUserData()};
    if (!request_.from_parts) {
      return functions.skippy_model_open_with_events(request_.paths[0].c_str(), &request_.config, &reporter, model, error);
    }
    const std::vector<const char*> paths = Pointers();
    return functions.skippy_model_open_from_parts_with_events(paths.data(), paths.size(), &request_.config, &reporter, model,
                                                              error);
  }

  std::int32_t OpenPlainly(skippy_model** model, skippy_error** error) {
    const RuntimeFunctions& functions = runtime_.functions;
    if (!request_.from_parts) {
      return functions.skippy_model_open(request_.paths[0].c_str(), &request_.config, model, error);
    }
    const std::vector<const char*> paths = Pointers();
    return functions.skippy_model_open_from_parts(paths.data(), paths.size(), &request_.config, model, error);
  }

  std::vector<const char*> Pointers() const {
    std::vector<const char*> pointers;
    for (const std::string& path : request_.paths) pointers.push_back(path.c_str());
    return pointers;
  }

  void Interrupt() noexcept override {
    if (!runtime_.opens_with_events || runtime_.functions.mesh_cancel_open_v1 == nullptr) return;
    runtime_.functions.mesh_cancel_open_v1(ReporterUserData());
  }

  napi_value Value(napi_env env) override { return WrapHandle(env, std::move(holder_)); }

  const AdmittedRuntime& runtime_;
  OpenRequest request_;
  const std::shared_ptr<Lane> lane_;
  std::shared_ptr<ModelHolder> holder_;
};

bool ReadConfig(const Arguments& arguments, napi_value value, skippy_runtime_config& config) {
  ByteSpan bytes;
  if (!arguments.ReadBytes(value, bytes) || bytes.length != sizeof config) return false;
  std::memcpy(&config, bytes.data, sizeof config);
  // Numbers from JavaScript never become addresses.
  config.resident_tensor_names = nullptr;
  config.resident_tensor_name_count = 0;
  config.selected_backend_device = nullptr;
  return true;
}

bool ReadRequest(const Arguments& arguments, OpenRequest& request) {
  const napi_env env = arguments.env();
  const napi_value from = arguments.at(0);
  const auto is_null = [&](napi_value value) {
    napi_valuetype type = napi_undefined;
    return napi_typeof(env, value, &type) == napi_ok && type == napi_null;
  };
  if (!arguments.ReadStrings(arguments.Property(from, "paths"), request.paths) || request.paths.empty()) return false;
  if (napi_get_value_bool(env, arguments.Property(from, "fromParts"), &request.from_parts) != napi_ok) return false;
  if (!ReadConfig(arguments, arguments.Property(from, "config"), request.config)) return false;
  const napi_value device = arguments.Property(from, "selectedBackendDevice");
  std::string name;
  if (!is_null(device)) {
    if (!arguments.ReadString(device, name)) return false;
    request.selected_backend_device = std::move(name);
  }
  const napi_value queue = arguments.Property(from, "queue");
  if (is_null(queue)) return true;
  request.queue = UnwrapHandle<PooledQueue>(env, queue);
  return request.queue != nullptr;
}

}  // namespace

napi_value OpenModel(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  const AdmittedRuntime* const runtime = Admitted();
  OpenRequest request;
  if (runtime == nullptr || !ReadRequest(arguments, request)) {
    return ThrowWrongArgument(env, "expected a loaded runtime and an open request");
  }
  const std::shared_ptr<Lane> lane = Lane::Create();
  return StartCall(arguments, std::make_shared<OpenModelCall>(*runtime, std::move(request), lane), *lane);
}

}  // namespace mesh::runtime
