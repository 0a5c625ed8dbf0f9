#include "variant.h"

skippy_abi_version_t skippy_abi_version(void) {
  return (skippy_abi_version_t){FAULT_ABI_MAJOR, FAULT_ABI_MINOR, FAULT_ABI_PATCH};
}

uint64_t skippy_abi_features(void) {
  return ((uint64_t)(FAULT_FEATURES) & ~(uint64_t)(FAULT_FEATURES_REMOVED)) | (uint64_t)(FAULT_FEATURES_ADDED);
}
