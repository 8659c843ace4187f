// Captures, and the graphs that they create.

#include "inside.h"

enum { THREAD_LOCAL = 1 };

static void release(Graph *graph) {
  fake_discard(&graph->operations);
  free(graph);
}

Result cuStreamBeginCapture_v2(Stream *stream, int mode) {
  BEGIN;
  if (mode != THREAD_LOCAL || stream->is_capturing) return fake_leave(INVALID_VALUE);
  stream->is_capturing = true;
  stream->graph = calloc(1, sizeof(Graph));
  fake_state.captures++;
  return fake_leave(0);
}

Result cuStreamEndCapture(Stream *stream, Graph **graph) {
  // The capture ends even if this call fails.
  Result result = fake_enter(__func__, false);
  stream->is_capturing = false;
  *graph = stream->graph;
  if (result) {
    release(stream->graph);
    *graph = NULL;
  } else {
    fake_state.live_graphs++;
  }
  return fake_leave(result);
}

Result cuGraphInstantiateWithFlags(Exec **result, Graph *graph, unsigned long long flags) {
  (void)flags;
  BEGIN;
  Exec *exec = calloc(1, sizeof *exec);
  const Operation *operation = graph->operations.first;
  for (; operation; operation = operation->next) fake_append(&exec->operations, *operation);
  *result = exec;
  fake_state.live_execs++;
  return fake_leave(0);
}

Result cuGraphLaunch(Exec *exec, Stream *stream) {
  BEGIN;
  fake_state.graph_launches++;
  const Operation *operation = exec->operations.first;
  for (; operation; operation = operation->next) fake_push(stream, *operation);
  return fake_leave(0);
}

Result cuGraphDestroy(Graph *graph) {
  Result result = fake_enter(__func__, true);
  release(graph);
  fake_state.live_graphs--;
  return fake_leave(result);
}

Result cuGraphExecDestroy(Exec *exec) {
  Result result = fake_enter(__func__, true);
  fake_discard(&exec->operations);
  free(exec);
  fake_state.live_execs--;
  return fake_leave(result);
}
