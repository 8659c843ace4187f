import CoreMLServingInterface
import Foundation
import Testing

@testable import CoreMLServingProtocol

@Suite struct AnswerTests {
  private func answer(id: String? = nil) throws -> InferenceAnswer {
    InferenceAnswer(
      model: "m\"", version: "1", id: id,
      outputs: [
        try .of("y", .float32, [2, 2], [Float(1), 0.1, .nan, -.infinity]),
        ServingTensor(name: "s", type: .bytes, shape: [1], content: .byteStrings([Array("a\n".utf8)])),
      ])
  }

  @Test func json() throws {
    let bytes = try AnswerBytes(answer(id: "7"), form: AnswerForm(isBinary: false))
    #expect(bytes.headLength == nil)
    #expect(
      bytes.string
        == #"{"id":"7","model_name":"m\"","model_version":"1","outputs":[{"name":"y","datatype":"FP32","shape":[2,2],"data":[1.0, 0.1, "NaN", "-Infinity"]},{"name":"s","datatype":"BYTES","shape":[1],"data":["a\n"]}]}"#
    )
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(bytes.string.utf8)) }
  }

  @Test func binary() throws {
    let bytes = try AnswerBytes(answer(), form: AnswerForm(isBinary: true))
    let head =
      #"{"model_name":"m\"","model_version":"1","outputs":[{"name":"y","datatype":"FP32","shape":[2,2],"parameters":{"binary_data_size":16}},{"name":"s","datatype":"BYTES","shape":[1],"parameters":{"binary_data_size":6}}]}"#
    #expect(bytes.headLength == head.utf8.count)
    #expect(bytes.pieces.count == 3)
    #expect(bytes.count == head.utf8.count + 16 + 6)
    #expect(Array(bytes.pieces[2].bytes) == [2, 0, 0, 0, 97, 10])
  }

  @Test func oneOutputAsBytes() throws {
    var form = AnswerForm(isBinary: true)
    form.byName["y"] = false
    let bytes = try AnswerBytes(answer(), form: form)
    #expect(bytes.pieces.count == 2)
    #expect(bytes.string.contains(#""data":[1.0, 0.1"#))
  }

  @Test func bytesThatAreNoTextAreRefusedInJSON() throws {
    let tensor = ServingTensor(name: "s", type: .bytes, shape: [1], content: .byteStrings([[0xFF]]))
    let answer = InferenceAnswer(model: "m", version: "1", id: nil, outputs: [tensor])
    #expect(throws: ServingError.self) { try AnswerBytes(answer, form: AnswerForm(isBinary: false)) }
    #expect(try AnswerBytes(answer, form: AnswerForm(isBinary: true)).count > 5)
  }

  @Test func integersOfEachType() throws {
    func text(_ tensor: ServingTensor) throws -> String {
      let store = ByteStore()
      try TensorDataWriter.write(tensor, into: store)
      return store.string.replacing(" ", with: "")
    }
    #expect(try text(.of("x", .int8, [2], [Int8.min, .max])) == "[-128,127]")
    #expect(try text(.of("x", .uint8, [2], [UInt8(0), .max])) == "[0,255]")
    #expect(try text(.of("x", .int16, [1], [Int16.min])) == "[-32768]")
    #expect(try text(.of("x", .uint16, [1], [UInt16.max])) == "[65535]")
    #expect(try text(.of("x", .int32, [2], [Int32.min, 5])) == "[-2147483648,5]")
    #expect(try text(.of("x", .uint32, [1], [UInt32.max])) == "[4294967295]")
    #expect(try text(.of("x", .int64, [1], [Int64.min])) == "[-9223372036854775808]")
    #expect(try text(.of("x", .uint64, [1], [UInt64.max])) == "[18446744073709551615]")
    #expect(try text(.of("x", .bool, [2], [true, false])) == "[true,false]")
    #expect(try text(.of("x", .float64, [0], [Double]())) == "[]")
    let many = (0..<3000).map { Int64($0) }
    #expect(try text(.of("x", .int64, [3000], many)) == "[\(many.map { "\($0)" }.joined(separator: ","))]")
  }

  @Test(arguments: [ContentCoding.gzip, .deflate]) func compression(_ coding: ContentCoding) throws {
    let bytes = try AnswerBytes(answer(), form: AnswerForm(isBinary: true))
    let packed = try Deflater.compress(bytes.pieces, coding)
    for piece in [1, 5, 1000] {
      let inflater = try Inflater(coding, limit: 1000)
      var result: [UInt8] = []
      var rest = packed.array[...]
      while !rest.isEmpty {
        try Requests.with(Array(rest.prefix(piece))) { part throws(ServingError) in
          try inflater.append(part) { result += $0 }
        }
        rest = rest.dropFirst(piece)
      }
      try inflater.finish()
      #expect(result == bytes.pieces.flatMap { Array($0.bytes) })
    }
  }

  @Test func decompressionIsLimited() throws {
    let store = ByteStore()
    for _ in 0..<3000 { Array(repeating: UInt8(0), count: 1000).withUnsafeBytes { store.append($0) } }
    let packed = try Deflater.compress([.store(store)], .gzip).array
    for limit in [1000, 1 << 30] {
      let error = #expect(throws: ServingError.self) {
        try Requests.with(packed) { bytes throws(ServingError) in
          try Inflater(.gzip, limit: limit).append(bytes) { _ in }
        }
      }
      #expect(error?.code == .tooLarge)
    }
    #expect(throws: ServingError.self) {
      try Requests.with([1, 2, 3]) { bytes throws(ServingError) in try Inflater(.gzip, limit: 9).append(bytes) { _ in }
      }
    }
    let inflater = try Inflater(.gzip, limit: 1000)
    #expect(throws: ServingError.self) { try inflater.finish() }
  }

  @Test func chosenCodings() throws {
    #expect(ContentCoding(acceptEncoding: "gzip", isBinary: true) == .gzip)
    #expect(ContentCoding(acceptEncoding: "deflate", isBinary: true) == .deflate)
    #expect(ContentCoding(acceptEncoding: "gzip, deflate, br", isBinary: true) == nil)
    #expect(ContentCoding(acceptEncoding: "br, gzip;q=0.5", isBinary: false) == .gzip)
    #expect(ContentCoding(acceptEncoding: "gzip;q=0", isBinary: false) == nil)
    #expect(try ContentCoding(contentEncoding: "GZIP") == .gzip)
    #expect(throws: ServingError.self) { try ContentCoding(contentEncoding: "br") }
  }
}
