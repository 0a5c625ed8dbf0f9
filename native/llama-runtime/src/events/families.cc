// Each family fills its own fields (spec 1.6); all others stay zero. The exported functions are the same calls for C.

#include "events/families.h"

#include "events/dispatch.h"

namespace mesh::llama {

void EmitModelLoad(uint32_t kind, uint64_t model_id, uint64_t n0, uint64_t n1, std::string_view detail) noexcept {
  skippy_runtime_event_v1 event = MakeEvent(SKIPPY_EVENT_CATEGORY_MODEL_OPEN, kind, detail);
  event.model_id = model_id;
  event.numeric_summary_0 = n0;
  event.numeric_summary_1 = n1;
  Dispatch(event);
}

void EmitKv(uint32_t kind, uint64_t session_id, uint64_t n0, uint64_t n1) noexcept {
  skippy_runtime_event_v1 event = MakeEvent(SKIPPY_EVENT_CATEGORY_KV, kind, {});
  event.session_id = session_id;
  event.numeric_summary_0 = n0;
  event.numeric_summary_1 = n1;
  Dispatch(event);
}

void EmitDevice(uint32_t kind, uint64_t n0, std::string_view detail) noexcept {
  skippy_runtime_event_v1 event = MakeEvent(SKIPPY_EVENT_CATEGORY_DEVICE, kind, detail);
  event.numeric_summary_0 = n0;
  Dispatch(event);
}

void EmitDiagnostic(uint32_t kind, uint32_t failure_code, std::string_view detail) noexcept {
  skippy_runtime_event_v1 event = MakeEvent(SKIPPY_EVENT_CATEGORY_DIAGNOSTIC, kind, detail);
  event.failure_code = failure_code;
  Dispatch(event);
}

void EmitUnload(uint32_t kind, uint64_t model_id, uint64_t n0) noexcept {
  skippy_runtime_event_v1 event = MakeEvent(SKIPPY_EVENT_CATEGORY_UNLOAD, kind, {});
  event.model_id = model_id;
  event.numeric_summary_0 = n0;
  Dispatch(event);
}

namespace {

std::string_view Text(const char* detail, uint64_t length) noexcept {
  return detail == nullptr ? std::string_view() : std::string_view(detail, length);
}

}  // namespace

}  // namespace mesh::llama

extern "C" void skippy_emit_model_load_event_v2(uint32_t kind, uint64_t model_id, uint64_t numeric_0, uint64_t numeric_1,
                                                const char* detail, uint64_t detail_len) noexcept {
  mesh::llama::EmitModelLoad(kind, model_id, numeric_0, numeric_1, mesh::llama::Text(detail, detail_len));
}
extern "C" void skippy_emit_kv_event(uint32_t kind, uint64_t session_id, uint64_t numeric_0, uint64_t numeric_1) noexcept {
  mesh::llama::EmitKv(kind, session_id, numeric_0, numeric_1);
}
extern "C" void skippy_emit_device_event(uint32_t kind, uint64_t numeric_0, const char* detail,
                                         uint64_t detail_len) noexcept {
  mesh::llama::EmitDevice(kind, numeric_0, mesh::llama::Text(detail, detail_len));
}
extern "C" void skippy_emit_diagnostic_event(uint32_t kind, uint32_t failure_code, const char* detail,
                                             uint64_t detail_len) noexcept {
  mesh::llama::EmitDiagnostic(kind, failure_code, mesh::llama::Text(detail, detail_len));
}
extern "C" void skippy_emit_unload_event(uint32_t kind, uint64_t model_id, uint64_t numeric_0) noexcept {
  mesh::llama::EmitUnload(kind, model_id, numeric_0);
}
