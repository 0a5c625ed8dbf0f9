#include "backend.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>

#include "abi/error.h"
#include "events/families.h"
#include "ggml.h"
#include "llama.h"
#include "log.h"

namespace mesh::llama {

namespace {

// The folder this library was loaded from. Backends are taken from nowhere else: that folder is the verified bundle.
std::string OwnDirectory() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&OwnDirectory), &info) == 0 || info.dli_fname == nullptr) {
    throw Failure(SKIPPY_STATUS_RUNTIME_ERROR, "the runtime cannot find the folder it was loaded from");
  }
  const std::string path = info.dli_fname;
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// ggml ends the process on a broken invariant. It would first fork and start gdb on the host, for a back trace; these two
// take that away and leave the message and the abort.
void DisarmBacktrace() {
  ggml_set_abort_callback([](const char* message) { std::fprintf(stderr, "%s\n", message); });

  Dl_info ggml{};
  Dl_info handler{};
  const bool installed_by_ggml =
      std::get_terminate() != nullptr && dladdr(reinterpret_cast<const void*>(&ggml_version), &ggml) != 0 &&
      dladdr(reinterpret_cast<const void*>(std::get_terminate()), &handler) != 0 && ggml.dli_fbase == handler.dli_fbase;
  if (installed_by_ggml) std::set_terminate(std::abort);
}

void LoadBackends() {
  // ggml would load whatever this variable names, past the bundle's digests.
  if (std::getenv("GGML_BACKEND_PATH") != nullptr) {
    throw Failure(SKIPPY_STATUS_RUNTIME_ERROR,
                  "GGML_BACKEND_PATH is set and would load code from outside the verified bundle; unset it");
  }
  DisarmBacktrace();
  InstallLog();
  llama_backend_init();
  const LogCapture log;
  ggml_backend_load_all_from_path(OwnDirectory().c_str());
  if (ggml_backend_dev_count() == 0) {
    throw Failure(SKIPPY_STATUS_RUNTIME_ERROR, "no compute backend beside the runtime fits this processor", log.Reason());
  }
  EmitDevice(SKIPPY_EVENT_KIND_DEVICE_BACKEND_INITIALIZED, ggml_backend_dev_count(), "backends loaded");
  for (std::size_t index = 0; index < ggml_backend_dev_count(); ++index) {
    EmitDevice(SKIPPY_EVENT_KIND_DEVICE_READY, index, ggml_backend_dev_name(ggml_backend_dev_get(index)));
  }
}

uint64_t CapabilitiesOf(const ggml_backend_dev_caps& caps) {
  return (caps.async ? SKIPPY_DEVICE_CAPABILITY_ASYNC : 0) | (caps.host_buffer ? SKIPPY_DEVICE_CAPABILITY_HOST_BUFFER : 0) |
         (caps.buffer_from_host_ptr ? SKIPPY_DEVICE_CAPABILITY_BUFFER_FROM_HOST_PTR : 0) |
         (caps.events ? SKIPPY_DEVICE_CAPABILITY_EVENTS : 0);
}

// Both enumerations have the same numbers, but they belong to two projects: an unknown one must not pass as known.
int32_t TypeOf(enum ggml_backend_dev_type type) {
  switch (type) {
    case GGML_BACKEND_DEVICE_TYPE_CPU:
      return SKIPPY_DEVICE_TYPE_CPU;
    case GGML_BACKEND_DEVICE_TYPE_GPU:
      return SKIPPY_DEVICE_TYPE_GPU;
    case GGML_BACKEND_DEVICE_TYPE_IGPU:
      return SKIPPY_DEVICE_TYPE_IGPU;
    case GGML_BACKEND_DEVICE_TYPE_ACCEL:
      return SKIPPY_DEVICE_TYPE_ACCEL;
    case GGML_BACKEND_DEVICE_TYPE_META:
      return SKIPPY_DEVICE_TYPE_META;
  }
  throw Failure(SKIPPY_STATUS_UNSUPPORTED, "a backend reports a device of unknown type");
}

}  // namespace

void EnsureBackends() {
  // Never destroyed, as everything that a native thread may need at exit.
  static std::mutex& mutex = *new std::mutex;
  static bool loaded = false;
  const std::lock_guard<std::mutex> lock(mutex);
  if (loaded) return;
  LoadBackends();
  loaded = true;
}

ggml_backend_dev_t DeviceByName(const std::string& name) {
  ggml_backend_dev_t device = ggml_backend_dev_by_name(name.c_str());
  if (device == nullptr) {
    throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "unknown selected backend device", name);
  }
  return device;
}

bool HasGpu() {
  return ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_GPU) != nullptr ||
         ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_IGPU) != nullptr;
}

}  // namespace mesh::llama

using mesh::llama::EnsureBackends;
using mesh::llama::Failure;
using mesh::llama::Guarded;

extern "C" int32_t skippy_backend_device_count(size_t* out_count, skippy_error** out_error) noexcept {
  return Guarded(out_error, [&] {
    if (out_count == nullptr) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the device count has no place to go");
    EnsureBackends();
    *out_count = ggml_backend_dev_count();
  });
}

extern "C" int32_t skippy_backend_device_at(size_t index, skippy_backend_device* out_device,
                                            skippy_error** out_error) noexcept {
  return Guarded(out_error, [&] {
    if (out_device == nullptr) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the device has no place to go");
    EnsureBackends();
    if (index >= ggml_backend_dev_count()) {
      throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "there is no backend device with this index");
    }
    ggml_backend_dev_props props{};
    ggml_backend_dev_get_props(ggml_backend_dev_get(index), &props);
    *out_device = {};
    out_device->version = 1;
    out_device->name = props.name;
    out_device->description = props.description;
    out_device->device_id = props.device_id;
    out_device->memory_free = props.memory_free;
    out_device->memory_total = props.memory_total;
    out_device->device_type = mesh::llama::TypeOf(props.type);
    out_device->caps = mesh::llama::CapabilitiesOf(props.caps);
  });
}
