/// What a state is: a buffer of a fixed shape and element type, kept between predictions.
public final class MLStateConstraint: Sendable {
  /// The size of each axis.
  public let bufferShape: [Int]
  /// The type of the elements.
  public let dataType: MLMultiArrayDataType
  init(bufferShape: [Int], dataType: MLMultiArrayDataType) {
    self.bufferShape = bufferShape
    self.dataType = dataType
  }
}
