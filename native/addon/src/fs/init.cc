#include "fs/init.h"

#include "fs/descriptor.h"
#include "fs/effects.h"
#include "fs/file_lock.h"
#include "fs/listing.h"
#include "fs/mount.h"
#include "fs/page_cache.h"
#include "fs/pinned_directory.h"
#include "fs/rename.h"
#include "fs/status.h"

namespace mesh::fs {

Napi::Object InitFs(Napi::Env env, Napi::Object exports) {
  const auto add = [&](const char* name, Napi::Value (*function)(const Napi::CallbackInfo&)) {
    exports.Set(name, Napi::Function::New(env, function, name));
  };
  add("close", CloseDescriptor);
  add("openRoot", OpenRoot);
  add("openDirectory", OpenDirectory);
  add("makeDirectory", MakeDirectory);
  add("setDirectoryMode", SetDirectoryMode);
  add("createFile", CreateFile);
  add("openFile", OpenFile);
  add("openOrCreateLock", OpenOrCreateLock);
  add("setMode", SetMode);
  add("write", Write);
  add("read", Read);
  add("sync", Sync);
  add("dropCachedPages", DropCachedPages);
  add("startWriteback", StartWriteback);
  add("link", Link);
  add("rename", Rename);
  add("unlink", Unlink);
  add("statName", StatName);
  add("statDescriptor", StatDescriptor);
  add("openListing", OpenListing);
  add("readListing", ReadListing);
  add("tryLock", TryLock);
  add("unlock", Unlock);
  add("statMount", StatMount);
  return exports;
}

}  // namespace mesh::fs
