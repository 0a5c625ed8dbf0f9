#pragma once

#include <napi.h>

namespace mesh::fs {

// Face functions that change the file system or read a file's bytes. Each makes one system call, repeated only when a
// signal interrupted it: what a crash can fall between is then exactly what JavaScript sees as separate calls.

// createFile(directory, name): a new file, for writing, 0600 less the umask. Never an existing one, never through a link.
Napi::Value CreateFile(const Napi::CallbackInfo& info);

// openFile(directory, name): for reading. Never waits: a FIFO without a writer opens at once.
Napi::Value OpenFile(const Napi::CallbackInfo& info);

// openOrCreateLock(directory, name): for reading and writing, made 0600 less the umask where there was none.
Napi::Value OpenOrCreateLock(const Napi::CallbackInfo& info);

// setMode(file, mode)
Napi::Value SetMode(const Napi::CallbackInfo& info);

// write(file, bytes, position): how many bytes were written, which may be fewer than were given.
Napi::Value Write(const Napi::CallbackInfo& info);

// read(file, buffer, position): how many bytes were read; 0 at the end.
Napi::Value Read(const Napi::CallbackInfo& info);

// sync(descriptor): a file or a directory.
Napi::Value Sync(const Napi::CallbackInfo& info);

// link(directory, source, targetDirectory, target): a second name for the entry itself, a symbolic link included.
Napi::Value Link(const Napi::CallbackInfo& info);

// unlink(directory, name): anything but a directory.
Napi::Value Unlink(const Napi::CallbackInfo& info);

}  // namespace mesh::fs
