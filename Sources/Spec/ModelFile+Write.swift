import CoreMLBase

extension ModelFile {
  /// The most bytes that a protobuf message may have for its readers: one less than 2 GiB.
  static let largest = Int(Int32.max)

  /// Writes a `Model` message as a `.mlmodel` file, whole or not at all. What the message keeps of another model is written from where
  /// it stands, so a model that is larger than memory can be changed; the file may replace the one that the message was read from.
  ///
  /// - Throws: `SpecError` when the file cannot be written, and when it would be of 2 GiB or more, which no reader takes.
  package static func write(_ model: MessageEdit, to path: String) throws {
    let rope = model.rope
    guard rope.count <= largest else {
      throw SpecError(
        .unwritable, "the model has \(rope.count) bytes, and a file of one message may have \(largest)", file: path)
    }
    let file = try FileWriter(path: path)
    try rope.forEach { try file.append($0) }
    try file.commit()
  }
}
