#include "fs/page_cache.h"

#include <algorithm>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/descriptor.h"
#include "fs/result.h"

namespace mesh::fs {

namespace {

#if defined(__linux__)

// Advice is all there is: pages that are dirty, being written or mapped by somebody stay. So the pages are counted
// afterwards. mincore() tells the truth to the owner of a file and to whoever may write it; to others it says that every
// page is there, which errs on the safe side.
Napi::Value CountPages(Napi::Env env, int number, size_t length) {
  const size_t page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* mapped = mmap(nullptr, length, PROT_READ, MAP_SHARED, number, 0);
  if (mapped == MAP_FAILED) return Failure(env, errno, "mmap");
  std::vector<unsigned char> pages((length + page_bytes - 1) / page_bytes);
  int result = mincore(mapped, length, pages.data());
  int error_number = errno;
  munmap(mapped, length);
  if (result == -1) return Failure(env, error_number, "mincore");
  bool gone = std::none_of(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1) != 0; });
  return Napi::Boolean::New(env, gone);
}

#endif

}  // namespace

Napi::Value DropCachedPages(const Napi::CallbackInfo& info) {
  Descriptor* file = UnwrapDescriptor(info[0]);
  if (file == nullptr) return WrongArgument(info.Env(), "dropCachedPages takes a descriptor");
#if defined(__linux__)
  // posix_fadvise() returns its error instead of setting errno.
  int error_number = posix_fadvise(file->number, 0, 0, POSIX_FADV_DONTNEED);
  if (error_number != 0) return Failure(info.Env(), error_number, "posix_fadvise");
  struct stat status {};
  if (fstat(file->number, &status) == -1) return Failure(info.Env(), errno, "fstat");
  if (status.st_size == 0) return Napi::Boolean::New(info.Env(), true);
  return CountPages(info.Env(), file->number, static_cast<size_t>(status.st_size));
#else
  return Napi::Boolean::New(info.Env(), false);
#endif
}

Napi::Value StartWriteback(const Napi::CallbackInfo& info) {
  Descriptor* file = UnwrapDescriptor(info[0]);
  if (file == nullptr) return WrongArgument(info.Env(), "startWriteback takes a descriptor");
#if defined(__linux__)
  // Without the flags that wait: those would also take the error that the next fsync() has to report.
  int result = RetryInterrupted([&] { return sync_file_range(file->number, 0, 0, SYNC_FILE_RANGE_WRITE); });
  if (result == -1) return Failure(info.Env(), errno, "sync_file_range");
#endif
  return info.Env().Undefined();
}

}  // namespace mesh::fs
