#pragma once

#include <napi.h>

namespace mesh::fs {

// Face functions over directories. None of them follows a symbolic link, and each makes one system call.

// openRoot(): the directory "/", for walking from.
Napi::Value OpenRoot(const Napi::CallbackInfo& info);

// openDirectory(parent, name, forReading): a directory that can be read, synced and listed, or only walked through.
// Walking through asks for search permission alone, as path lookup does.
Napi::Value OpenDirectory(const Napi::CallbackInfo& info);

// makeDirectory(parent, name): mode 0700 whatever the process's umask is, where the system allows it.
Napi::Value MakeDirectory(const Napi::CallbackInfo& info);

// setDirectoryMode(parent, name, mode): by name, because a directory without owner permissions cannot be opened first.
Napi::Value SetDirectoryMode(const Napi::CallbackInfo& info);

}  // namespace mesh::fs
