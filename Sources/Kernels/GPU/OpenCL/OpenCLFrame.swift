/// Memory of one OpenCL kernel while it is enqueued: a range a slot, a range an output, its scratch.
package struct OpenCLFrame: Sendable {
  package let queue: OpenCLQueue
  package let inputs: [OpenCLMemory]
  package let outputs: [OpenCLMemory]
  package let scratch: OpenCLMemory?

  package init(queue: OpenCLQueue, inputs: [OpenCLMemory], outputs: [OpenCLMemory], scratch: OpenCLMemory?) {
    self.queue = queue
    self.inputs = inputs
    self.outputs = outputs
    self.scratch = scratch
  }
}
