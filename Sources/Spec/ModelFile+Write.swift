import CoreMLBase

extension ModelFile {
  /// The maximum size of a protobuf message: one byte less than 2 GiB.
  static let largest = Int(Int32.max)

  /// Writes a `Model` message as a `.mlmodel` file, atomically. Unchanged parts are written directly from the
  /// original's memory, so a model larger than memory can be edited. The file may replace the one that the message was
  /// read from.
  ///
  /// - Throws: `SpecError` if the file cannot be written, or would be 2 GiB or larger, which no reader accepts.
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
