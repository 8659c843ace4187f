// Recorded launches, and their submission to the driver: one by one or, if the same sequence repeats, as one graph.

#include "CUDAObjects.h"

#include <stdlib.h>

// A graph of fewer launches saves nothing.
#define LEAST_LAUNCHES 3
#define SEEN_TOGETHER 4

// MARK: recording

Launch *cuda_record(cl_command_queue queue, size_t argument_bytes) {
  size_t size = sizeof(Launch) + ((argument_bytes + 15) & ~(size_t)15);
  if (queue->capacity - queue->used < size) {
    size_t capacity = queue->capacity * 2 < 1 << 16 ? 1 << 16 : queue->capacity * 2;
    unsigned char *grown = realloc(queue->launches, capacity);
    if (!grown) return NULL;
    queue->launches = grown;
    queue->capacity = capacity;
  }
  Launch *launch = (Launch *)(queue->launches + queue->used);
  memset(launch, 0, size);
  launch->size = (uint32_t)size;
  return launch;
}

void cuda_recorded(cl_command_queue queue, const Launch *launch) {
  uint64_t hash = queue->hash;
  const unsigned char *bytes = (const unsigned char *)launch;
  for (size_t at = 0; at < launch->size; at += 8) {
    uint64_t word;
    memcpy(&word, bytes + at, 8);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  queue->hash = hash;
  queue->used += launch->size;
  queue->count++;
}

// MARK: one by one

/// `follows`: the stream's last command is a launch.
static CUresult launch_one(cl_command_queue queue, const Launch *launch, bool follows) {
  const Entry *entry = launch->entry;
  void *values[PTX_PARAMETER_LIMIT];
  unsigned char *bytes = (unsigned char *)(launch + 1);
  for (uint32_t index = 0; index < entry->parameter_count; index++) {
    values[index] = bytes + entry->parameters[index].offset;
  }
  const uint32_t *grid = launch->grid, *block = launch->block;
  if (follows && entry->waits && !queue->has_no_overlap) {
    CUlaunchAttribute overlaps = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, .value = 1};
    CUlaunchConfig config = {
        .grid = {grid[0], grid[1], grid[2]}, .block = {block[0], block[1], block[2]},
        .shared_bytes = entry->shared_bytes, .stream = queue->stream, .attributes = &overlaps, .attribute_count = 1};
    if (!cuda.cuLaunchKernelEx(&config, entry->function, values, NULL)) return CUDA_SUCCESS;
    queue->has_no_overlap = true;
  }
  return cuda.cuLaunchKernel(entry->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                             entry->shared_bytes, queue->stream, values, NULL);
}

/// Stops at the first failure, because later launches would use results that were not written.
static CUresult launch_each(cl_command_queue queue) {
  CUresult result = CUDA_SUCCESS;
  for (size_t at = 0; at < queue->used && !result;) {
    const Launch *launch = (const Launch *)(queue->launches + at);
    result = launch_one(queue, launch, at > 0);
    at += launch->size;
  }
  return result;
}

// MARK: graphs

static Graph *find(cl_command_queue queue) {
  for (uint32_t index = 0; index < queue->graph_count; index++) {
    Graph *graph = &queue->graphs[index];
    if (graph->hash == queue->hash && graph->size == queue->used &&
        memcmp(graph->launches, queue->launches, queue->used) == 0) {
      return graph;
    }
  }
  return NULL;
}

static void destroy(Graph *graph) {
  cuda.cuGraphExecDestroy(graph->exec);
  free(graph->launches);
}

static CUresult capture_once(cl_command_queue queue, CUgraphExec *exec) {
  CUgraph graph = NULL;
  CUresult result = cuda.cuStreamBeginCapture(queue->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  if (!result) {
    result = launch_each(queue);
    // Also after a failure, because this ends the stream's capture.
    CUresult end = cuda.cuStreamEndCapture(queue->stream, &graph);
    if (!result) result = end;
  }
  if (!result) result = cuda.cuGraphInstantiate(exec, graph, 0);
  if (graph) cuda.cuGraphDestroy(graph);
  return result;
}

/// Whether a recorded launch uses programmatic dependent launch.
static bool overlaps(cl_command_queue queue) {
  for (size_t at = 0; at < queue->used && !queue->has_no_overlap;) {
    const Launch *launch = (const Launch *)(queue->launches + at);
    if (launch->entry->waits) return true;
    at += launch->size;
  }
  return false;
}

/// Returns NULL and disables graphs for the queue if the driver does not capture.
static CUgraphExec capture(cl_command_queue queue) {
  CUgraphExec exec = NULL;
  bool overlapped = overlaps(queue);
  if (!capture_once(queue, &exec)) return exec;
  if (overlapped) {
    // Drivers that support programmatic dependent launch may not support it in a graph.
    queue->has_no_overlap = true;
    if (!capture_once(queue, &exec)) return exec;
  }
  queue->has_no_graphs = true;
  return NULL;
}

/// A slot for a graph of launches that were last submitted at `turn`. NULL if all allowed graphs have been used since.
/// So a cycle of more batches than graphs keeps some graphs, instead of evicting each one before its next use.
static Graph *place(cl_command_queue queue, uint64_t turn) {
  uint32_t limit = cuda_tuning.graphs;
  if (limit > CUDA_GRAPH_CAPACITY) limit = CUDA_GRAPH_CAPACITY;
  if (queue->graph_count < limit) return &queue->graphs[queue->graph_count];
  Graph *oldest = NULL;
  for (uint32_t index = 0; index < queue->graph_count; index++) {
    Graph *graph = &queue->graphs[index];
    if (!oldest || graph->last_used < oldest->last_used) oldest = graph;
  }
  return oldest && oldest->last_used < turn ? oldest : NULL;
}

static Graph *make(cl_command_queue queue, uint64_t turn) {
  Graph *graph = place(queue, turn);
  unsigned char *launches = graph ? malloc(queue->used) : NULL;
  if (!launches) return NULL;
  CUgraphExec exec = capture(queue);
  if (!exec) return (free(launches), NULL);
  if (graph == &queue->graphs[queue->graph_count]) {
    queue->graph_count++;
  } else {
    // The graph may still be running. New launches seldom replace a graph.
    if (cuda.cuStreamQuery(queue->stream)) cuda.cuStreamSynchronize(queue->stream);
    destroy(graph);
  }
  memcpy(launches, queue->launches, queue->used);
  *graph = (Graph){.exec = exec, .hash = queue->hash, .size = queue->used, .launches = launches};
  return graph;
}

/// The turn at which launches with this hash were submitted last (0 if unknown), and records the current turn. A hash
/// collision creates a useless graph at worst, never a wrong one.
static uint64_t seen(cl_command_queue queue) {
  // Each hash has several slots. Two hashes that share a single slot would evict each other in every round and never
  // become graphs.
  __typeof__(&queue->seen[0]) places = &queue->seen[(queue->hash >> 32) % (CUDA_SEEN / SEEN_TOGETHER) * SEEN_TOGETHER];
  __typeof__(places) slot = places;
  for (unsigned index = 0; index < SEEN_TOGETHER; index++) {
    if (places[index].hash == queue->hash) {
      slot = &places[index];
      break;
    }
    if (places[index].turn < slot->turn) slot = &places[index];
  }
  uint64_t turn = slot->hash == queue->hash ? slot->turn : 0;
  slot->hash = queue->hash;
  slot->turn = queue->turn;
  return turn;
}

static CUresult launch_all(cl_command_queue queue) {
  queue->turn++;
  if (queue->count < LEAST_LAUNCHES || queue->has_no_graphs || !cuda_tuning.graphs) return launch_each(queue);
  uint64_t turn = seen(queue);
  Graph *graph = find(queue);
  if (!graph && turn) graph = make(queue, turn);
  if (!graph) return launch_each(queue);
  graph->last_used = queue->turn;
  return cuda.cuGraphLaunch(graph->exec, queue->stream);
}

static bool uses(const Graph *graph, cl_program program) {
  for (size_t at = 0; at < graph->size;) {
    const Launch *launch = (const Launch *)(graph->launches + at);
    if (launch->entry >= program->entries && launch->entry < program->entries + program->entry_count) return true;
    at += launch->size;
  }
  return false;
}

void cuda_graphs_forget(cl_command_queue queue, cl_program program) {
  uint32_t kept = 0;
  for (uint32_t index = 0; index < queue->graph_count; index++) {
    if (!program || uses(&queue->graphs[index], program)) destroy(&queue->graphs[index]);
    else queue->graphs[kept++] = queue->graphs[index];
  }
  queue->graph_count = kept;
}

cl_int cuda_submit(cl_command_queue queue) {
  if (!queue->count) return CL_SUCCESS;
  CUresult result = cuda.cuCtxSetCurrent(queue->context->cuda);
  if (!result) result = launch_all(queue);
  queue->begun = queue->begun > UINT32_MAX - queue->count ? UINT32_MAX : queue->begun + queue->count;
  queue->used = 0;
  queue->count = 0;
  queue->hash = 0;
  queue->submitted++;
  return cuda_events_submitted(queue, cuda_status(result));
}
