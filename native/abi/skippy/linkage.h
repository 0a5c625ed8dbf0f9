/* How the functions of the ABI are exported and declared. Part of skippy.h. */
#ifndef MESH_NATIVE_ABI_SKIPPY_LINKAGE_H
#define MESH_NATIVE_ABI_SKIPPY_LINKAGE_H

#if defined(_WIN32)
#  if defined(SKIPPY_BUILD)
#    define SKIPPY_API __declspec(dllexport)
#  else
#    define SKIPPY_API
#  endif
#else
#  define SKIPPY_API __attribute__((visibility("default")))
#endif

/* The functions promise not to throw; C++ may hold them to it. */
#if defined(__cplusplus)
#  define SKIPPY_NOEXCEPT noexcept
#else
#  define SKIPPY_NOEXCEPT
#endif

#endif /* MESH_NATIVE_ABI_SKIPPY_LINKAGE_H */
