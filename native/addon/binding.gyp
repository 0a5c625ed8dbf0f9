{
  # This file lies outside every package root on purpose: pnpm 10 builds a package that has a binding.gyp at its root
  # by itself, with its own node-gyp, whatever the package says.
  "targets": [
    {
      "target_name": "mesh_ffi",
      "sources": [
        "src/addon.cc",
        "src/fs/descriptor.cc",
        "src/fs/effects.cc",
        "src/fs/file_lock.cc",
        "src/fs/init.cc",
        "src/fs/listing.cc",
        "src/fs/mount.cc",
        "src/fs/page_cache.cc",
        "src/fs/pinned_directory.cc",
        "src/fs/private_directory.cc",
        "src/fs/rename.cc",
        "src/fs/result.cc",
        "src/fs/status.cc",
        "src/runtime/addon_copy.cc",
        "src/runtime/admission.cc",
        "src/runtime/arguments.cc",
        "src/runtime/call.cc",
        "src/runtime/environment.cc",
        "src/runtime/event_queue.cc",
        "src/runtime/init.cc",
        "src/runtime/js_value.cc",
        "src/runtime/lane.cc",
        "src/runtime/layouts.cc",
        "src/runtime/library_set.cc",
        "src/runtime/load.cc",
        "src/runtime/model.cc",
        "src/runtime/model_calls.cc",
        "src/runtime/model_open.cc",
        "src/runtime/operation.cc",
        "src/runtime/process_exit.cc",
        "src/runtime/queue_face.cc",
        "src/runtime/record.cc",
        "src/runtime/record_ring.cc",
        "src/runtime/reporter.cc",
        "src/runtime/reporter_face.cc",
        "src/runtime/runtime_call.cc",
        "src/runtime/runtime_functions.cc",
        "src/runtime/session.cc",
        "src/runtime/session_calls.cc"
      ],
      "include_dirs": [
        "src",
        "../abi",
        "<!(node -p \"require('../../packages/ffi/node_modules/node-addon-api').include_dir\")"
      ],
      "defines": ["NAPI_VERSION=8", "NODE_ADDON_API_DISABLE_CPP_EXCEPTIONS", "NODE_ADDON_API_DISABLE_DEPRECATED"],
      "cflags_cc": ["-std=c++20", "-fexceptions", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-Wall", "-Wextra", "-Werror"],
      # Exceptions are off where Node-API is used and on in the compiler: a runtime that throws across its C ABI is caught.
      "cflags_cc!": ["-std=gnu++17", "-std=gnu++20", "-fno-exceptions"],
      "conditions": [
        ["OS=='linux'", {
          "defines": ["_GNU_SOURCE", "_FILE_OFFSET_BITS=64"],
          "ldflags": [
            "-pthread",
            "-Wl,-Bsymbolic",
            "-Wl,--exclude-libs,ALL",
            # Node closes an addon with the last environment that loaded it, while native threads and the runtime's
            # reporter may still point into it: the addon stays for the life of the process (design D4).
            "-Wl,-z,nodelete"
          ],
          "libraries": ["-ldl"]
        }],
        ["OS=='mac'", {
          "xcode_settings": {
            "CLANG_CXX_LANGUAGE_STANDARD": "c++20",
            "CLANG_CXX_LIBRARY": "libc++",
            "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
            "GCC_SYMBOLS_PRIVATE_EXTERN": "YES",
            "MACOSX_DEPLOYMENT_TARGET": "11.0",
            "OTHER_CPLUSPLUSFLAGS": ["-Wall", "-Wextra", "-Werror"]
          }
        }]
      ]
    }
  ]
}
