import Foundation
import Testing

@testable import MIL

/// MIL text is parsed in both dialects, and a printed program reads back as the same program.
@Suite struct TextTests {
  static let old = """
    program(1.0)
    [buildInfo = dict<tensor<string, []>, tensor<string, []>>({{"coremlc-version", "3404.23.1"}, {"a\\"b", "c\\\\d"}})]
    {
        func main<ios16>(tensor<fp16, [1, ?, ?]> x) [FlexibleShapeInformation = tuple<tuple<tensor<string, []>, dict<tensor<string, []>, tensor<int32, [?]>>>, tuple<tensor<string, []>, dict<tensor<string, []>, list<tensor<int32, [2]>, ?>>>>((("DefaultShapes", {{"x", [1, 1, 1]}}), ("RangeDims", {{"x", [[1, 1], [1, 2048], [1, 2048]]}})))] {
                tensor<int32, [3]> perm_0 = const()[name = tensor<string, []>("p"), val = tensor<int32, [3]>([0, 2, 1])];
                tensor<fp16, []> half = const()[val = tensor<fp16, []>(0x1.8p-1)];
                tensor<fp16, [1, ?, ?]> y = transpose(perm = perm_0, x = x)[name = tensor<string, []>("transpose_0")];
            } -> (y);
    }
    """

  static let new = """
    program(1.3)
    {
        func main<ios18>(tensor<fp32, [2]> x, state<tensor<fp16, [2]>> s) {
                tensor<bool, [2]> mask = const()[val = tensor<bool, [2]>([true, false])];
                tensor<fp32, [2, 2]> w = const()[val = tensor<fp32, [2, 2]>([[1.5, -0x1p-3], [inf, nan]])];
                write_state(data = x, input = s)[name = string("w")];
                fp32 one = const()[val = fp32(1.0)];
                tensor<fp32, [2]> z = cond(pred = bool(true)) block() {
                    tensor<fp32, [2]> a = add(x = x, y = fp32(0.1));
                } -> (a) block() {
                    tensor<fp32, [2]> b = mul(x = x, y = one);
                } -> (b);
                tensor<fp32, [4]> %"odd/name 1" = concat(axis = int32(0), values = (x, z));
            } -> (%"odd/name 1");
        func other<ios18>() {
                string s = const()[val = string("é\\n")];
            } -> (s);
    }
    """

  @Test func readsTheOldDialect() throws {
    let main = try #require(try MILText.parse(Self.old).functions["main"])
    #expect(main.opset == "CoreML6")
    #expect(main.inputs == [NamedType("x", .tensor(TensorType(.float16, [1, .unknown, .unknown])))])
    #expect(try main.body.operations[0].constant?.tensor?.ints() == [0, 2, 1])
    #expect(try main.body.operations[1].constant?.tensor?.doubles() == [0.75])
    #expect(main.attributes["FlexibleShapeInformation"] != nil)
  }

  @Test(arguments: [old, new]) func printedTextIsTheSameProgram(_ text: String) throws {
    let printed = MILText.print(try MILText.parse(text))
    #expect(MILText.print(try MILText.parse(printed)) == printed)
  }

  @Test func readsBlocksAndVariadics() throws {
    let main = try #require(try MILText.parse(Self.new).functions["main"])
    #expect(main.body.operations[4].blocks.count == 2)
    #expect(main.body.operations[5].inputs["values"]?.count == 2)
    #expect(main.body.outputs == ["odd/name 1"])
  }

  @Test func weightsStayReferences() throws {
    let text = """
      program(1.3) { func main<ios18>() {
        tensor<fp32, [3]> w = const()[val = tensor<fp32, [3]>(BLOBFILE(path = string("@model_path/weights/weight.bin"), offset = uint64(64)))];
      } -> (w); }
      """
    let program = try MILText.parse(text) { reference, type in
      #expect(reference == BlobReference(path: "@model_path/weights/weight.bin", offset: 64))
      let bytes = try TensorStorage(byteCount: 12)
      return try Tensor(
        type.scalar, shape: type.concreteShape ?? [],
        storage: TensorStorage(borrowing: bytes.pointer, byteCount: 12, owner: bytes, origin: reference))
    }
    #expect(
      MILText.print(program).contains(
        "BLOBFILE(path = string(\"@model_path/weights/weight.bin\"), offset = uint64(64))"))
  }

  @Test(arguments: [
    "", "program", "program(2.0){}", "program(1.3){", "program(1.3){}", "program(1.3){func main<ios18>(){}->(x)}",
    "program(1.3){func main<ios18>(tensor<fp32,[-1]> x){}->(x);}",
    "program(1.3){func main<ios18>(){tensor<fp32,[2]> x = const()[val = tensor<fp32,[2]>([1])];}->(x);}",
    "program(1.3){func main<ios18>(){tensor<fp32,[99999999999999]> x = const()[val = tensor<fp32,[99999999999999]>([1])];}->(x);}",
    "program(1.3){func main<ios18>(){fp32 x = const()[val = fp32(abc)];}->(x);}",
    "program(1.3){func main<ios18>(){string x = const()[val = string(\"abc)];}->(x);}",
    String(repeating: "list<", count: 10000),
    "program(1.3){func main<ios18>(" + String(repeating: "list<", count: 10000),
  ]) func refusesBrokenText(_ text: String) {
    #expect(throws: MILError.self) { try MILText.parse(text) }
  }

  @Test func everyPrefixIsRefusedOrRead() {
    let bytes = Array(Self.new.utf8)
    for count in 0..<bytes.count {
      let prefix = String(decoding: bytes[0..<count], as: UTF8.self)
      #expect(throws: MILError.self) { try MILText.parse(prefix) }
    }
  }
}
