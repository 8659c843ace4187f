/// MIL text: how programs are written in compiled models, and printed for people.
///
/// Read in both dialects that Apple's compiler has written: `program(1.0)`, where scalars are rank-0 tensors
/// (`tensor<string, []>("..")`), and `program(1.3)`, where they are words (`string("..")`). Written in the second. Weights
/// in a weight file are references: `BLOBFILE(path = string("@model_path/weights/weight.bin"), offset = uint64(64))`.
/// A name that is no identifier is quoted after a percent sign: `%"conv/1"`. Blocks of control flow follow the attributes:
/// `block(tensor<..> a) { .. } -> (b)`. The attribute `origins` of an operation has its `Operation.origins`.
package enum MILText {
  /// The attribute that `Operation.origins` is written as.
  static let origins = "origins"

  /// Finds the tensor behind a reference to a weight file.
  package typealias Resolver = (BlobReference, TensorType) throws -> Tensor

  /// The program that `text` (UTF-8) describes. Errors name line and column.
  package static func parse(_ text: UnsafeRawBufferPointer, resolving resolve: @escaping Resolver) throws -> Program {
    try withoutActuallyEscaping(resolve) { resolve in
      var parser = TextParser(TextScanner(text.bindMemory(to: UInt8.self)), resolve: resolve)
      return try parser.program()
    }
  }

  package static func parse(
    _ text: String,
    resolving resolve: @escaping Resolver = { reference, _ in
      throw MILError(.syntax, "the text refers to the weight file \(reference.path), and none was given")
    }
  ) throws -> Program {
    var text = text
    return try text.withUTF8 { try parse(UnsafeRawBufferPointer($0), resolving: resolve) }
  }

  /// The program as text that parses to the same program.
  package static func print(_ program: Program) -> String {
    var printer = TextPrinter()
    printer.program(program)
    return printer.text
  }
}
