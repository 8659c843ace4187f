/// What a request may contain. The limits keep the memory that a request takes near the size of its message.
package struct WireLimits: Sendable {
  /// Inputs, and requested outputs.
  package var tensors = 1024
  /// Parameters of a request or a tensor.
  package var parameters = 256
  /// Axes of a tensor.
  package var rank = 16
  /// Elements of all tensors of byte strings: each takes memory of its own.
  package var byteStrings = 1 << 20

  package init() {}
}
