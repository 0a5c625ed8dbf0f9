#include "fs/private_directory.h"

#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>

#include "fs/result.h"

namespace mesh::fs {

namespace {

constexpr mode_t kPrivateDirectoryMode = 0700;

struct Request {
  int parent;
  const char* name;
  int error_number;
};

void Make(Request* request) {
  int result = RetryInterrupted([&] { return mkdirat(request->parent, request->name, kPrivateDirectoryMode); });
  request->error_number = result == -1 ? errno : 0;
}

#if defined(__linux__)
void* MakeOnOwnThread(void* argument) {
  // Refused by some sandboxes; then the shared umask must stay as it is.
  if (unshare(CLONE_FS) == 0) umask(0);
  Make(static_cast<Request*>(argument));
  return nullptr;
}
#endif

}  // namespace

int MakePrivateDirectory(int parent, const char* name) {
  Request request{parent, name, 0};
#if defined(__linux__)
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, MakeOnOwnThread, &request) == 0) {
    pthread_join(thread, nullptr);
    return request.error_number;
  }
#endif
  Make(&request);
  return request.error_number;
}

}  // namespace mesh::fs
