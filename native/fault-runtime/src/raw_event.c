#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "events.h"

/*
 * A block whose last byte is the last readable byte of its page: one byte further is a page without access. Whoever reads
 * more of an event or of a detail than was declared crashes here, in the test, instead of being lucky.
 */
struct edge_block {
  char* mapping;
  size_t mapping_length;
  char* start;
};

static struct edge_block edge_block(size_t length) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t readable = (length + page - 1) / page * page;
  struct edge_block block = {NULL, readable + page, NULL};
  void* mapping = mmap(NULL, block.mapping_length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) abort();
  block.mapping = mapping;
  if (mprotect(block.mapping + readable, page, PROT_NONE) != 0) abort();
  block.start = block.mapping + readable - length;
  return block;
}

static void edge_block_free(struct edge_block block) { munmap(block.mapping, block.mapping_length); }

/* What a script says about the detail of a raw event. */
struct raw_detail {
  fault_slice text;
  uint64_t fill;
  uint64_t declared;
  bool has_declared;
  bool null_pointer;
};

static void apply_number(skippy_runtime_event_v1* event, fault_slice key, fault_slice text) {
  uint64_t number = fault_slice_number(text, 0);
  if (fault_slice_is(key, "abi")) event->abi_version = (uint32_t)number;
  if (fault_slice_is(key, "size")) event->struct_size = (uint32_t)number;
  if (fault_slice_is(key, "category")) event->category = (uint32_t)number;
  if (fault_slice_is(key, "emitter")) event->emitter = (uint32_t)number;
  if (fault_slice_is(key, "sequence")) event->sequence = number;
  if (fault_slice_is(key, "timestamp")) event->timestamp_mono_ns = number;
  if (fault_slice_is(key, "model")) event->model_id = number;
  if (fault_slice_is(key, "stage")) event->stage_id = number;
  if (fault_slice_is(key, "session")) event->session_id = number;
  if (fault_slice_is(key, "current")) event->progress_current = number;
  if (fault_slice_is(key, "total")) event->progress_total = number;
  if (fault_slice_is(key, "unit")) event->progress_unit = (uint32_t)number;
  if (fault_slice_is(key, "failure")) event->failure_code = (uint32_t)number;
  if (fault_slice_is(key, "status")) event->status = (int32_t)number;
  if (fault_slice_is(key, "n0")) event->numeric_summary_0 = number;
  if (fault_slice_is(key, "n1")) event->numeric_summary_1 = number;
  if (fault_slice_is(key, "n2")) event->numeric_summary_2 = number;
  if (fault_slice_is(key, "n3")) event->numeric_summary_3 = number;
}

static void apply_detail(struct raw_detail* detail, fault_slice key, fault_slice text) {
  if (fault_slice_is(key, "detail")) detail->text = text;
  if (fault_slice_is(key, "fill")) detail->fill = fault_slice_number(text, 0);
  if (fault_slice_is(key, "null-detail")) detail->null_pointer = true;
  if (fault_slice_is(key, "length")) {
    detail->declared = fault_slice_number(text, 0);
    detail->has_declared = true;
  }
}

/* The detail's bytes: the text, then 'x' up to fill bytes in all. */
static struct edge_block detail_block(const struct raw_detail* detail, size_t* out_length) {
  size_t text_length = 0;
  char* text = fault_slice_text(detail->text, &text_length);
  size_t length = detail->fill > text_length ? (size_t)detail->fill : text_length;
  struct edge_block block = edge_block(length);
  memset(block.start, 'x', length);
  memcpy(block.start, text, text_length);
  free(text);
  *out_length = length;
  return block;
}

/* The event at the edge, with as many bytes as it declares: at least the version and the size, so that those can be read. */
static struct edge_block event_block(const skippy_runtime_event_v1* event) {
  size_t declared = event->struct_size < 8 ? 8 : event->struct_size;
  size_t available = declared > 4096 ? 4096 : declared;
  struct edge_block block = edge_block(available);
  memset(block.start, 0xa5, available);
  memcpy(block.start, event, available < sizeof *event ? available : sizeof *event);
  return block;
}

void fault_send_raw(fault_sink* sink, fault_slice fields) {
  fault_slice kind_value;
  fault_slice field;
  uint64_t kind = SKIPPY_EVENT_KIND_MODEL_OPEN_PROGRESS;
  uint64_t count = 1;
  struct raw_detail detail = {{"", 0}, 0, 0, false, false};
  for (fault_slice rest = fields; fault_slice_next(&rest, ',', &field);) {
    fault_slice key;
    fault_slice_split(field, ':', &key, &kind_value);
    if (fault_slice_is(key, "kind")) kind = fault_slice_number(kind_value, kind);
    if (fault_slice_is(key, "count")) count = fault_slice_number(kind_value, count);
    apply_detail(&detail, key, kind_value);
  }
  size_t detail_length = 0;
  struct edge_block bytes = detail_block(&detail, &detail_length);
  for (uint64_t i = 0; i < count; i += 1) {
    skippy_runtime_event_v1 event = fault_event(sink, fault_category_of((uint32_t)kind), (uint32_t)kind);
    event.detail_ptr = detail.null_pointer ? NULL : bytes.start;
    event.detail_len = detail.has_declared ? detail.declared : detail_length;
    for (fault_slice rest = fields; fault_slice_next(&rest, ',', &field);) {
      fault_slice key;
      fault_slice value;
      fault_slice_split(field, ':', &key, &value);
      apply_number(&event, key, value);
    }
    struct edge_block copy = event_block(&event);
    sink->deliver(sink, (const skippy_runtime_event_v1*)(const void*)copy.start);
    edge_block_free(copy);
  }
  edge_block_free(bytes);
}
