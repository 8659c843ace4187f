// Events: points in a stream that can be waited for.

#include "inside.h"

Result cuEventCreate(Event **result, unsigned flags) {
  BEGIN;
  Event *event = calloc(1, sizeof *event);
  event->has_time = flags == 0;
  fake_state.live_events++;
  *result = event;
  return fake_leave(0);
}

Result cuEventDestroy_v2(Event *event) {
  Result result = fake_enter(__func__, true);
  free(event);
  fake_state.live_events--;
  return fake_leave(result);
}

Result cuEventRecord(Event *event, Stream *stream) {
  BEGIN;
  // In a capture the record would become a part of the graph and never complete.
  if (stream->is_capturing) abort();
  event->recorded++;
  fake_push(stream, (Operation){.kind = RECORD, .event = event, .ticket = event->recorded});
  return fake_leave(0);
}

Result cuEventQuery(Event *event) {
  BEGIN;
  return fake_leave(event->done == event->recorded ? 0 : NOT_READY);
}

/// The last record of the event among the stream's operations, or NULL.
static const Operation *record_of(const Event *event, const Stream *stream) {
  const Operation *operation = stream->operations.first;
  for (; operation; operation = operation->next) {
    if (operation->kind == RECORD && operation->event == event && operation->ticket == event->recorded) break;
  }
  return operation;
}

Result cuEventSynchronize(Event *event) {
  BEGIN;
  for (Stream *stream = fake_streams; stream && event->done != event->recorded; stream = stream->next) {
    const Operation *record = record_of(event, stream);
    if (record) fake_run(stream, record);
  }
  return fake_leave(event->done == event->recorded ? 0 : UNKNOWN);
}

Result cuEventElapsedTime(float *milliseconds, Event *from, Event *to) {
  BEGIN;
  if (!from->has_time || !to->has_time) return fake_leave(INVALID_HANDLE);
  *milliseconds = (float)(to->milliseconds - from->milliseconds);
  return fake_leave(0);
}
