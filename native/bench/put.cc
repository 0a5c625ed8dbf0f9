// What a careful C program does to store files as the skill store does, and nothing more: the peer of its benches. For each
// object it takes the content lock, writes and syncs a stage, links it to its name, syncs the directory and removes the
// stage, so that the same files remain with the same bytes. It is told every name: it hashes nothing, looks for nothing that
// was there before, reads nothing back and judges nobody's modes.
//
// Argument: the directory. On its input, again and again: a line "put COUNT BYTES" or "batch COUNT BYTES", then COUNT times
// the 64 digits of a name and BYTES bytes. On its output: the nanoseconds each took once all of its input was read.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kNameBytes = 64;
// How the store names the stage of a plain put: by the content and by sha256("mesh-skill-cas-put-v1").
constexpr char kStagePrefix[] = ".ctx-skill-";
constexpr char kStageSuffix[] = "-71ad262bd561371e77d077c339678fc1c21954a85360fa45183f9d366dc8cdfc.pending";
constexpr std::size_t kBatchObjects = 128;
constexpr int kFileFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

struct Object {
  std::string name;
  std::vector<char> bytes;

  std::string Lock() const { return name + ".lock"; }
  std::string Stage() const { return kStagePrefix + name + kStageSuffix; }
};

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

int Check(int result, const char* what) {
  if (result == -1) Fail(what);
  return result;
}

int TakeLock(int directory, const Object& object) {
  const int lock = Check(openat(directory, object.Lock().c_str(), O_RDWR | O_CREAT | kFileFlags, 0600), "open the lock");
  Check(flock(lock, LOCK_EX | LOCK_NB), "flock");
  return lock;
}

void WriteAndLink(int directory, const Object& object) {
  const std::string stage = object.Stage();
  const int file = Check(openat(directory, stage.c_str(), O_WRONLY | O_CREAT | O_EXCL | kFileFlags, 0600), "create");
  for (std::size_t done = 0; done < object.bytes.size();) {
    const ssize_t written = write(file, object.bytes.data() + done, object.bytes.size() - done);
    if (written < 1) Fail("write");
    done += static_cast<std::size_t>(written);
  }
  Check(fsync(file), "fsync of the file");
  Check(close(file), "close");
  Check(linkat(directory, stage.c_str(), directory, object.name.c_str(), 0), "link");
}

void PutAlone(int directory, const Object& object) {
  const int lock = TakeLock(directory, object);
  WriteAndLink(directory, object);
  Check(fsync(directory), "fsync of the directory");
  Check(unlinkat(directory, object.Stage().c_str(), 0), "unlink");
  Check(close(lock), "close the lock");
}

// One sync of the directory for up to kBatchObjects files; every file is still synced by itself.
void PutTogether(int directory, const std::vector<Object>& objects) {
  for (std::size_t from = 0; from < objects.size(); from += kBatchObjects) {
    const std::size_t to = from + kBatchObjects < objects.size() ? from + kBatchObjects : objects.size();
    std::vector<int> locks;
    for (std::size_t index = from; index < to; ++index) {
      locks.push_back(TakeLock(directory, objects[index]));
      WriteAndLink(directory, objects[index]);
    }
    Check(fsync(directory), "fsync of the directory");
    for (std::size_t index = from; index < to; ++index) {
      Check(unlinkat(directory, objects[index].Stage().c_str(), 0), "unlink");
      Check(close(locks[index - from]), "close the lock");
    }
  }
}

std::vector<Object> ReadObjects(std::size_t count, std::size_t bytes) {
  std::vector<Object> objects(count);
  for (Object& object : objects) {
    object.name.resize(kNameBytes);
    object.bytes.resize(bytes);
    if (std::fread(object.name.data(), 1, kNameBytes, stdin) != kNameBytes ||
        std::fread(object.bytes.data(), 1, bytes, stdin) != bytes) {
      Fail("read the input");
    }
  }
  return objects;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) Fail("expected the directory as the only argument");
  const int directory = Check(open(arguments[1], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), "open the directory");
  char line[64];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    const bool together = std::strncmp(line, "batch ", 6) == 0;
    char* rest = line + (together ? 6 : 4);
    const std::size_t objects_count = std::strtoul(rest, &rest, 10);
    const std::size_t bytes = std::strtoul(rest, &rest, 10);
    const std::vector<Object> objects = ReadObjects(objects_count, bytes);
    const auto start = std::chrono::steady_clock::now();
    if (together) {
      PutTogether(directory, objects);
    } else {
      for (const Object& object : objects) PutAlone(directory, object);
    }
    const auto elapsed = std::chrono::steady_clock::now() - start;
    std::printf("%lld\n", static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count()));
    std::fflush(stdout);
  }
  return 0;
}
