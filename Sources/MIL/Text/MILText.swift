/// MIL text: the format of programs in compiled models, also used for printing.
///
/// The parser accepts both dialects that Apple's compiler has written. In `program(1.0)`, scalars are rank-0 tensors
/// (`tensor<string, []>("..")`). In `program(1.3)`, they use the element type's name (`string("..")`). The printer
/// writes the second dialect. Weights in a weight file are references: `BLOBFILE(path =
/// string("@model_path/weights/weight.bin"), offset = uint64(64))`. A name that is not an identifier is quoted after a
/// percent sign: `%"conv/1"`. Blocks of control flow follow the attributes: `block(tensor<..> a) { .. } -> (b)`. An
/// operation's attribute `origins` has its `Operation.origins`.
package enum MILText {
  /// The attribute for `Operation.origins`.
  static let origins = "origins"

  /// Returns the tensor for a reference to a weight file.
  package typealias Resolver = (BlobReference, TensorType) throws -> Tensor

  /// Parses a program from `text` (UTF-8). Errors have line and column.
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

  /// Prints a program as text that parses to the same program.
  package static func print(_ program: Program) -> String {
    var printer = TextPrinter()
    printer.program(program)
    return printer.text
  }
}
