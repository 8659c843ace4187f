/// Memory of one OpenCL kernel while it is enqueued: a range a slot, a range an output, its scratch.
public struct OpenCLFrame: Sendable {
  public let queue: OpenCLQueue
  public let inputs: [OpenCLMemory]
  public let outputs: [OpenCLMemory]
  public let scratch: OpenCLMemory?

  public init(queue: OpenCLQueue, inputs: [OpenCLMemory], outputs: [OpenCLMemory], scratch: OpenCLMemory?) {
    self.queue = queue
    self.inputs = inputs
    self.outputs = outputs
    self.scratch = scratch
  }
}
