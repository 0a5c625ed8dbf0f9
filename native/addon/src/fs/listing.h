#pragma once

#include <napi.h>

namespace mesh::fs {

// Face functions that list a directory in pieces of bounded size, so that neither memory nor the time of one call grows
// with the directory.

// openListing(directory): a stream with a position of its own, from the first entry.
Napi::Value OpenListing(const Napi::CallbackInfo& info);

// readListing(listing, countMax): the next names, as Buffers, because a name is bytes and need not be text. An empty
// array is the end. "." and ".." are left out.
Napi::Value ReadListing(const Napi::CallbackInfo& info);

}  // namespace mesh::fs
