#include "runtime/admission.h"

#include <atomic>
#include <mutex>

#include "runtime/addon_copy.h"
#include "runtime/process_exit.h"

namespace mesh::runtime {

namespace {

std::atomic<const AdmittedRuntime*> admitted{nullptr};

std::mutex& AdmissionMutex() {
  static std::mutex& mutex = *new std::mutex();
  return mutex;
}

// The version first: with another one, even the names and signatures of the rest mean something else.
std::vector<AdmissionDifference> CheckAbi(const LibrarySet& libraries, AbiVersion& found) {
  std::size_t library = 0;
  const auto version =
      reinterpret_cast<MayThrow<decltype(&skippy_abi_version)>::Type>(libraries.Find("skippy_abi_version", &library));
  if (version == nullptr) return {AbiSymbolMissing{}};
  const skippy_abi_version_t reported = version();
  found = {reported.major, reported.minor, reported.patch};
  if (found == kRequiredAbi) return {};
  return {AbiMismatch{libraries.paths()[library], found}};
}

Admission CheckLibraries(const std::vector<std::string>& paths) {
  Refused refused;
  std::vector<LibraryOpenFailure> failures;
  LibrarySet libraries = LibrarySet::Open(paths, failures);
  refused.differences.assign(failures.begin(), failures.end());
  // With a library missing, everything it would have exported is missing too: that is one fault and not many.
  if (!refused.differences.empty()) return refused;

  AbiVersion abi{};
  refused.differences = CheckAbi(libraries, abi);
  std::vector<std::string> missing;
  const RuntimeFunctions functions = RuntimeFunctions::Resolve(libraries, missing);
  for (std::string& symbol : missing) {
    if (symbol != "skippy_abi_version") refused.differences.emplace_back(SymbolMissing{std::move(symbol)});
  }
  if (!refused.differences.empty()) return refused;

  std::optional<std::uint64_t> features;
  if (functions.skippy_abi_features != nullptr) features = functions.skippy_abi_features();
  const bool opens_with_events = (features.value_or(0) & SKIPPY_FEATURE_RUNTIME_EVENTS) != 0 &&
                                 functions.skippy_model_open_with_events != nullptr &&
                                 functions.skippy_model_open_from_parts_with_events != nullptr;
  return new AdmittedRuntime{std::move(libraries), functions, abi, features, opens_with_events};
}

}  // namespace

Admission Admit(const std::vector<std::string>& paths) {
  const std::lock_guard<std::mutex> lock(AdmissionMutex());
  if (const AdmittedRuntime* const runtime = Admitted(); runtime != nullptr) {
    if (NameSameFiles(runtime->libraries.paths(), paths)) return runtime;
    return AlreadyLoaded{runtime->libraries.paths()};
  }
  const std::string& primary = paths.back();
  if (IsOpenedBySomebodyElse(primary)) return OtherCopy{primary, FindOtherCopy(primary), OwnAddonPath()};
  Admission admission = CheckLibraries(paths);
  if (const auto* runtime = std::get_if<const AdmittedRuntime*>(&admission)) {
    // The runtime's own exit handlers are registered by now, so that ours, registered later, runs before them.
    GuardProcessExit();
    admitted.store(*runtime, std::memory_order_release);
  }
  return admission;
}

const AdmittedRuntime* Admitted() { return admitted.load(std::memory_order_acquire); }

}  // namespace mesh::runtime
