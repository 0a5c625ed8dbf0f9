// Drives the addon's event callback without Node: counts the allocations it makes, feeds it arbitrary bytes that end at an
// inaccessible page, lets many threads push while another drains, stops one in the middle of its copy, and sends to a queue
// that is long gone. Prints one JSON object. The job that runs the sanitizers runs this program too, built without the
// counting of allocations, which belongs to them there.

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "runtime/event_queue.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

#if defined(COUNT_ALLOCATIONS)
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
#endif

namespace {

using mesh::runtime::Counter;
using mesh::runtime::Counters;
using mesh::runtime::DeliverToQueue;
using mesh::runtime::EventRecord;
using mesh::runtime::PooledQueue;

constexpr std::size_t kLongDetailBytes = std::size_t{64} * 1024;

std::uint64_t Of(const Counters& counters, Counter counter) { return counters[static_cast<std::size_t>(counter)]; }

skippy_runtime_event_v1 EventWith(const char* detail, std::uint64_t length) {
  skippy_runtime_event_v1 event{};
  event.abi_version = SKIPPY_RUNTIME_EVENT_V1_ABI_VERSION;
  event.struct_size = sizeof event;
  event.kind = SKIPPY_EVENT_KIND_MODEL_OPEN_PROGRESS;
  event.detail_ptr = detail;
  event.detail_len = length;
  return event;
}

// Accepted, refused and dropped events alike, on a queue that is full from the 65th on.
std::uint64_t AllocationsOfCallbacks() {
  const std::vector<char> detail(kLongDetailBytes, 'x');
  PooledQueue pooled(64);
  const skippy_runtime_event_v1 good = EventWith(detail.data(), detail.size());
  skippy_runtime_event_v1 other = good;
  other.abi_version = 2;
  const std::uint64_t before = allocations.load();
  for (int count = 0; count < 128; count += 1) {
    DeliverToQueue(&good, &pooled.queue());
    DeliverToQueue(&other, &pooled.queue());
    DeliverToQueue(nullptr, &pooled.queue());
    DeliverToQueue(&good, nullptr);
  }
  pooled.queue().End();
  DeliverToQueue(&good, &pooled.queue());
  return allocations.load() - before;
}

// Events of arbitrary bytes whose memory ends with the size they declare. The detail pointer alone is kept honest: foreign
// memory cannot be checked, only bounded.
std::uint64_t RejectedOfArbitraryBytes(std::uint64_t rounds) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const pages =
      static_cast<std::uint8_t*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0) std::abort();
  static const char detail[mesh::runtime::kRecordDetailBytesMax] = {};
  std::mt19937_64 random(54);
  PooledQueue pooled(16);
  std::vector<std::uint8_t> drained(16 * sizeof(EventRecord));
  for (std::uint64_t round = 0; round < rounds; round += 1) {
    const std::uint32_t size = static_cast<std::uint32_t>(random() % 200);
    std::uint8_t bytes[200];
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    std::memcpy(bytes + offsetof(skippy_runtime_event_v1, struct_size), &size, sizeof size);
    if (random() % 4 != 0) bytes[0] = 1, bytes[1] = bytes[2] = bytes[3] = 0;
    const char* const pointer = random() % 2 == 0 ? nullptr : detail;
    std::memcpy(bytes + offsetof(skippy_runtime_event_v1, detail_ptr), &pointer, sizeof pointer);
    if (random() % 2 == 0) std::memset(bytes + offsetof(skippy_runtime_event_v1, detail_len) + 2, 0, 6);
    const std::size_t held = size < 8 ? 8 : size;
    std::uint8_t* const event = pages + page - held;
    std::memcpy(event, bytes, held);
    pooled.queue().Deliver(event);
    pooled.queue().Drain(drained.data(), random() % 16);
  }
  const Counters counters = pooled.queue().Read();
  munmap(pages, 2 * page);
  return Of(counters, Counter::kRejectedShortStruct) + Of(counters, Counter::kRejectedAbiVersion) +
         Of(counters, Counter::kRejectedOversizedDetail);
}

// Threads push numbered events while one drains; nothing may come out twice, torn, or out of its thread's order.
bool ConservesUnderThreads(std::uint64_t threads, std::uint64_t per_thread, std::size_t capacity) {
  PooledQueue pooled(capacity);
  std::atomic<std::uint64_t> running{threads};
  std::vector<std::thread> producers;
  for (std::uint64_t thread = 0; thread < threads; thread += 1) {
    producers.emplace_back([&, thread] {
      skippy_runtime_event_v1 event = EventWith("detail", 6);
      event.stage_id = thread;
      for (std::uint64_t count = 1; count <= per_thread; count += 1) {
        event.sequence = count;
        event.numeric_summary_3 = count * 3;
        DeliverToQueue(&event, &pooled.queue());
      }
      running.fetch_sub(1);
    });
  }
  std::vector<std::uint64_t> last(threads, 0);
  std::vector<std::uint8_t> buffer(37 * sizeof(EventRecord));
  std::uint64_t taken = 0;
  bool sound = true;
  for (bool more = true; more;) {
    // Read before the drain, so that the last drain is complete.
    more = running.load() != 0;
    for (std::size_t count = 0; (count = pooled.queue().Drain(buffer.data(), 37)) > 0; taken += count) {
      for (std::size_t index = 0; index < count; index += 1) {
        EventRecord record{};
        std::memcpy(&record, buffer.data() + index * sizeof record, sizeof record);
        sound = sound && record.sequence > last[record.stage_id] && record.numeric_summary[3] == record.sequence * 3;
        last[record.stage_id] = record.sequence;
      }
    }
  }
  for (std::thread& producer : producers) producer.join();
  const Counters counters = pooled.queue().Read();
  return sound && Of(counters, Counter::kOffered) == threads * per_thread && Of(counters, Counter::kDrained) == taken &&
         Of(counters, Counter::kAccepted) == taken && Of(counters, Counter::kQueued) == 0 &&
         Of(counters, Counter::kAccepted) + Of(counters, Counter::kDroppedFull) == threads * per_thread;
}

// Other queues that an ended one outlives, as an address that a late callback may still use.
constexpr int kOtherQueues = 1024;

// What comes after an open returned is counted in its own queue, however many others have begun and ended since: none of
// them may be at the same address. Has to be the first to use queues, so that nothing older waits to be used again.
bool LateEventFindsItsOwnQueue() {
  auto first = std::make_unique<PooledQueue>(1);
  mesh::runtime::EventQueue* const ended = &first->queue();
  first.reset();
  bool own = true;
  for (int count = 0; count < kOtherQueues; count += 1) {
    PooledQueue other(1);
    own = own && &other.queue() != ended;
  }
  const skippy_runtime_event_v1 event = EventWith("late", 4);
  DeliverToQueue(&event, ended);
  return own && Of(ended->Read(), Counter::kDroppedClosed) == 1;
}

// The page that a producer cannot read until it may go on, so that it stands still between the claim of its place in the
// ring and the publication, inside the copy of the detail.
char* closed_page = nullptr;
std::size_t closed_page_bytes = 0;
std::atomic<bool> stands_still{false};
std::atomic<bool> may_go_on{false};

void StandStill(int) {
  stands_still.store(true);
  while (!may_go_on.load()) sched_yield();
  if (mprotect(closed_page, closed_page_bytes, PROT_READ) != 0) std::abort();
}

bool StandStillAtClosedPage() {
  closed_page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const page = mmap(nullptr, closed_page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  closed_page = static_cast<char*>(page);
  struct sigaction action {};
  action.sa_handler = StandStill;
  // Once: any other such signal is a defect, and ends the program.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  return sigaction(SIGSEGV, &action, nullptr) == 0;
}

// How an open ended is drained last, also while a producer has claimed its place and has not published.
bool TerminalEventWaitsForClaimedPlaces() {
  if (!StandStillAtClosedPage()) return false;
  PooledQueue pooled(2);
  std::thread producer([&pooled] {
    skippy_runtime_event_v1 event = EventWith(closed_page, 8);
    event.sequence = 1;
    DeliverToQueue(&event, &pooled.queue());
  });
  while (!stands_still.load()) sched_yield();
  skippy_runtime_event_v1 event = EventWith("detail", 6);
  event.sequence = 2;
  DeliverToQueue(&event, &pooled.queue());
  event.kind = SKIPPY_EVENT_KIND_MODEL_OPEN_FINISHED;
  event.sequence = 3;
  DeliverToQueue(&event, &pooled.queue());
  std::vector<std::uint8_t> drained(4 * sizeof(EventRecord));
  const std::size_t early = pooled.queue().Drain(drained.data(), 4);
  may_go_on.store(true);
  producer.join();
  const std::size_t late = pooled.queue().Drain(drained.data(), 4);
  bool in_order = true;
  for (std::size_t index = 0; index < late; index += 1) {
    EventRecord record{};
    std::memcpy(&record, drained.data() + index * sizeof record, sizeof record);
    in_order = in_order && record.sequence == index + 1;
  }
  return early == 0 && late == 3 && in_order;
}

}  // namespace

int main() {
  const bool outlives = LateEventFindsItsOwnQueue();
  const std::uint64_t counted = AllocationsOfCallbacks();
  const bool counts = [] {
    const std::uint64_t before = allocations.load();
    std::free(std::malloc(1));
    return allocations.load() != before;
  }();
  const std::uint64_t rounds = 200'000;
  const std::uint64_t rejected = RejectedOfArbitraryBytes(rounds);
  const bool conserves =
      ConservesUnderThreads(8, 5'000, 64) && ConservesUnderThreads(4, 5'000, 1) && ConservesUnderThreads(2, 20'000, 1064);
  const bool terminal_is_last = TerminalEventWaitsForClaimedPlaces();
  std::printf(
      "{\"allocations\":%llu,\"allocationsAreCounted\":%s,\"arbitrary\":%llu,\"rejected\":%llu,\"conserves\":%s,"
      "\"terminalIsLast\":%s,\"outlives\":%s}\n",
      static_cast<unsigned long long>(counted), counts ? "true" : "false", static_cast<unsigned long long>(rounds),
      static_cast<unsigned long long>(rejected), conserves ? "true" : "false", terminal_is_last ? "true" : "false",
      outlives ? "true" : "false");
  return conserves && terminal_is_last && outlives ? 0 : 1;
}
