// Streams and their pending operations.

#include "inside.h"

enum { NON_BLOCKING = 1 };

Stream *fake_streams;
double fake_milliseconds;

// MARK: operations

static void perform(const Operation *operation) {
  fake_milliseconds += 0.001;
  switch (operation->kind) {
  case COPY_IN:
  case COPY_OUT:
  case COPY_WITHIN: memmove(operation->target, operation->source, operation->size); break;
  case FILL_8: memset(operation->target, (int)operation->value, operation->size); break;
  case FILL_16:
    for (size_t index = 0; index < operation->size; index++) {
      ((uint16_t *)operation->target)[index] = (uint16_t)operation->value;
    }
    break;
  case FILL_32:
    for (size_t index = 0; index < operation->size; index++) {
      ((uint32_t *)operation->target)[index] = operation->value;
    }
    break;
  case KERNEL:
    fake_state.overlapped += operation->overlaps;
    fake_run_kernel(operation);
    break;
  case RECORD:
    // An event that has been recorded again is complete only with the later record.
    if (operation->event->recorded == operation->ticket) {
      operation->event->done = operation->ticket;
      operation->event->milliseconds = fake_milliseconds;
    }
  }
}

void fake_append(Operations *operations, Operation operation) {
  Operation *added = malloc(sizeof *added);
  *added = operation;
  added->next = NULL;
  if (operations->last) operations->last->next = added;
  else operations->first = added;
  operations->last = added;
}

void fake_discard(Operations *operations) {
  while (operations->first) {
    Operation *operation = operations->first;
    operations->first = operation->next;
    free(operation);
  }
}

void fake_push(Stream *stream, Operation operation) {
  fake_append(stream->is_capturing ? &stream->graph->operations : &stream->operations, operation);
  if (!stream->is_capturing && !fake_state.is_lazy) fake_run(stream, NULL);
}

void fake_run(Stream *stream, const Operation *last) {
  bool is_last = false;
  while (stream->operations.first && !is_last) {
    Operation *operation = stream->operations.first;
    stream->operations.first = operation->next;
    if (!operation->next) stream->operations.last = NULL;
    perform(operation);
    is_last = operation == last;
    if (operation->owns_source) free(operation->source);
    free(operation);
  }
}

// MARK: streams

Result cuStreamCreate(Stream **result, unsigned flags) {
  BEGIN;
  if (flags != NON_BLOCKING) return fake_leave(INVALID_VALUE);
  Stream *stream = calloc(1, sizeof *stream);
  stream->next = fake_streams;
  fake_streams = stream;
  fake_state.live_streams++;
  *result = stream;
  return fake_leave(0);
}

Result cuStreamDestroy_v2(Stream *stream) {
  Result result = fake_enter(__func__, true);
  fake_run(stream, NULL);
  Stream **link = &fake_streams;
  while (*link != stream) link = &(*link)->next;
  *link = stream->next;
  free(stream);
  fake_state.live_streams--;
  return fake_leave(result);
}

Result cuStreamQuery(Stream *stream) {
  BEGIN;
  return fake_leave(stream->operations.first ? NOT_READY : 0);
}

Result cuStreamSynchronize(Stream *stream) {
  // Also if it fails, because the error is that of the work that was waited for.
  Result result = fake_enter(__func__, false);
  if (!result && stream->is_capturing) return fake_leave(IS_CAPTURING);
  fake_run(stream, NULL);
  return fake_leave(result);
}
