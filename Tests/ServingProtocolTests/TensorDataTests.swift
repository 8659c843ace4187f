import CoreMLServingInterface
import Foundation
import Testing

@testable import CoreMLServingProtocol

/// The `data` of JSON tensors.
@Suite struct TensorDataTests {
  @Test func numbersOfEachType() throws {
    func read<Element: BitwiseCopyable>(_ type: TensorType, _ data: String, _ element: Element.Type) throws -> [Element]
    {
      try Requests.input(#""datatype":"\#(type.rawValue)","shape":[3],"data":[\#(data)]"#).values(element)
    }
    #expect(try read(.float32, "1.5,-2,3e-1", Float.self) == [1.5, -2, 0.3])
    #expect(try read(.float64, " 1e300 , 0.1,-4503599627370496.5", Double.self) == [1e300, 0.1, -4503599627370496.5])
    #expect(try read(.float16, "0.1,65504,-1", Float16.self) == [0.1, 65504, -1])
    #expect(try read(.bfloat16, "1,2.5,-1", UInt16.self) == [0x3F80, 0x4020, 0xBF80])
    #expect(try read(.int8, "-128,0,127", Int8.self) == [-128, 0, 127])
    #expect(try read(.uint8, "0,1,255", UInt8.self) == [0, 1, 255])
    #expect(try read(.int16, "-32768,2.0,2e1", Int16.self) == [-32768, 2, 20])
    #expect(try read(.uint16, "0,1,65535", UInt16.self) == [0, 1, 65535])
    #expect(try read(.int32, "-2147483648,0,2147483647", Int32.self) == [.min, 0, .max])
    #expect(try read(.uint32, "0,1,4294967295", UInt32.self) == [0, 1, .max])
    #expect(
      try read(.int64, "-9223372036854775808,9007199254740993,9223372036854775807", Int64.self)
        == [.min, 9007199254740993, .max])
    #expect(try read(.uint64, "0,9223372036854775808,18446744073709551615", UInt64.self) == [0, 1 << 63, .max])
    #expect(try read(.bool, "true,false,1", Bool.self) == [true, false, true])
  }

  @Test(arguments: [
    (TensorType.int32, "1099511627776"), (.int32, "2147483648"), (.int32, "1.5"), (.int32, "\"1\""), (.uint8, "-1"),
    (.uint8, "256"), (.int8, "128"), (.uint64, "-1"), (.uint64, "18446744073709551616"),
    (.int64, "9223372036854775808"),
    (.int64, "0.5"), (.float32, "1e39"), (.float16, "65520"), (.bfloat16, "3.4e38"), (.float64, "1e999"),
    (.float32, "NaN"), (.float32, "Infinity"), (.float32, "\"nan\""), (.float32, "true"), (.float32, "null"),
    (.float32, "01"), (.float32, ".5"), (.float32, "1."), (.float32, "+1"), (.float32, "1e"), (.float32, "0x1"),
    (.bool, "2"), (.bool, "\"true\""), (.bytes, "1"), (.float32, "{}"), (.float32, ""), (.float32, "-"),
  ]) func refusesNumber(_ type: TensorType, _ text: String) {
    // Alone, and inside a block of plain numbers.
    for data in [text, "0,0,\(text),0"] {
      let count = data.split(separator: ",", omittingEmptySubsequences: false).count
      let error = Requests.refusal(
        #"{"inputs":[{"name":"x","datatype":"\#(type.rawValue)","shape":[\#(count)],"data":[\#(data)]}]}"#)
      #expect(error?.code == .invalidArgument, "\(type) \(data)")
    }
  }

  @Test func nestedDataHasTheSizesOfTheShape() throws {
    let nested = try Requests.input(#""datatype":"INT32","shape":[2,3],"data":[[1,2,3],[4,5,6]]"#)
    #expect(nested.values(Int32.self) == [1, 2, 3, 4, 5, 6])
    let flat = try Requests.input(#""datatype":"INT32","shape":[2,3],"data":[1,2,3,4,5,6]"#)
    #expect(flat.values(Int32.self) == [1, 2, 3, 4, 5, 6])
    // A batch axis that the data leave out.
    let inner = try Requests.input(#""datatype":"INT32","shape":[1,2,2],"data":[[1,2],[3,4]]"#)
    #expect(inner.values(Int32.self) == [1, 2, 3, 4])
    #expect(throws: ServingError.self) {
      try Requests.input(#""datatype":"INT32","shape":[2,3],"data":[[1,2],[3,4],[5,6]]"#)
    }
    #expect(throws: ServingError.self) { try Requests.input(#""datatype":"INT32","shape":[2,2],"data":[[1,2],3,4]"#) }
    #expect(throws: ServingError.self) { try Requests.input(#""datatype":"INT32","shape":[2],"data":7"#) }
  }

  @Test(arguments: ["1,2,3", "1,2,3,4,5", ""]) func refusesWrongCount(_ data: String) {
    let error = Requests.refusal(#"{"inputs":[{"name":"x","datatype":"INT32","shape":[4],"data":[\#(data)]}]}"#)
    #expect(error?.message.contains("shape [4]") == true)
  }

  @Test func emptyTensors() throws {
    #expect(try Requests.input(#""datatype":"FP32","shape":[0,4],"data":[]"#).values(Float.self).isEmpty)
    #expect(try Requests.input(#""datatype":"FP32","shape":[],"data":[2]"#).values(Float.self) == [2])
  }

  @Test func stringsHaveTheirEscapes() throws {
    let tensor = try Requests.input(#""datatype":"BYTES","shape":[3],"data":["a\n\"é","\ud83d\ude00\u0041",""]"#)
    #expect(tensor.strings == ["a\n\"é", "😀A", ""])
    for text in [#""\ud83d""#, #""\x""#, #""\u12""#, "\"\u{1}\"", #""abc"#] {
      #expect(Requests.refusal(#"{"inputs":[{"name":"x","datatype":"BYTES","shape":[1],"data":[\#(text)]}]}"#) != nil)
    }
  }

  /// Every finite float is written so that it is read as the same value; the others are strings.
  @Test func floatsReadBackAsTheSameBits() throws {
    var generator = SystemRandomNumberGenerator()
    var bits = (0..<20_000).map { _ in UInt32.random(in: 0...(.max), using: &generator) }
    bits += [0, 1, 0x007F_FFFF, 0x0080_0000, 0x7F7F_FFFF, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000]
    let values = bits.map { Float(bitPattern: $0) }
    let tensor = try ServingTensor.of("x", .float32, [values.count], values)
    let store = ByteStore()
    try TensorDataWriter.write(tensor, into: store)
    let back = try Requests.input(#""datatype":"FP32","shape":[\#(values.count)],"data":\#(store.string)"#)
    for (value, read) in zip(values, back.values(Float.self)) {
      #expect(value.bitPattern == read.bitPattern || (value.isNaN && read.isNaN), "\(value) \(read)")
    }
  }

  @Test func everyHalfReadsBack() throws {
    let values = (0...UInt16.max).map { Float16(bitPattern: $0) }
    for (type, tensor) in [
      (TensorType.float16, try ServingTensor.of("x", .float16, [65536], values)),
      (.bfloat16, try ServingTensor.of("x", .bfloat16, [65536], values)),
    ] {
      let store = ByteStore()
      try TensorDataWriter.write(tensor, into: store)
      let back = try Requests.input(#""datatype":"\#(type.rawValue)","shape":[65536],"data":\#(store.string)"#)
      for (bits, read) in zip(UInt16(0)...UInt16.max, back.values(UInt16.self)) {
        let isNaN = type == .float16 ? Float16(bitPattern: bits).isNaN : bits & 0x7FFF > 0x7F80
        #expect(bits == read || isNaN || bits & 0x7FFF == 0 && read & 0x7FFF == 0)
      }
    }
  }
}
