/// The memory of one OpenCL kernel launch: a range for each slot, a range for each output, and the scratch memory.
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
