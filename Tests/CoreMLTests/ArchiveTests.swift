import CoreML
import Testing

/// Archives, descriptions and equality of the classes of Apple's framework.
@Suite struct ArchiveTests {
  private func copy<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object? {
    let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
  }

  @Test func valuesComeBackFromArchives() throws {
    let array = try MLMultiArray(shape: [2, 3], dataType: .float32)
    for place in 0..<6 { array[place] = NSNumber(value: Float(place) / 2) }
    #expect(try copy(array) == array)
    let values = [
      MLFeatureValue(int64: -7), MLFeatureValue(double: 0.25), MLFeatureValue(string: "ß"),
      MLFeatureValue(multiArray: array), MLFeatureValue(undefined: .double),
      MLFeatureValue(sequence: MLSequence(strings: ["a", "b"])), MLFeatureValue(sequence: MLSequence(int64s: [1, 2])),
      try MLFeatureValue(dictionary: ["a": 1.5]), try MLFeatureValue(dictionary: [3: 0.5]),
    ]
    for value in values { #expect(try copy(value)?.isEqual(to: value) == true, "\(value)") }
    let image = try CVPixelBuffer(width: 2, height: 1, pixelFormatType: kCVPixelFormatType_OneComponent8)
    image.withUnsafeMutableBytes { $0.copyBytes(from: [10, 200]) }
    let picture = try copy(MLFeatureValue(pixelBuffer: image))?.imageBufferValue
    #expect(picture?.withUnsafeBytes { Array($0) } == [10, 200])
    let key = MLParameterKey.weights.scoped(to: "fc")
    #expect(try copy(key) == key)
  }

  @Test func valuesArePrintedAsPeopleReadThem() throws {
    #expect("\(try MLMultiArray([1, 2, 3] as [Float]))" == "Float32 3 vector\n[1,2,3]")
    let matrix = MLMultiArray(MLShapedArray<Int32>(scalars: [1, 2, 3, 4], shape: [2, 2]))
    #expect("\(matrix)" == "Int32 2 × 2 matrix\n[1,2;\n 3,4]")
    #expect("\(try MLMultiArray(shape: [1, 2, 3], dataType: .double))" == "Double 1 × 2 × 3 array")
    #expect("\(MLFeatureValue(int64: 3))" == "Int64 : 3" && "\(MLFeatureValue(string: "cat"))" == "String : cat")
    #expect("\(MLFeatureValue(multiArray: matrix))" == "MultiArray : Int32 2 × 2 matrix\n[1,2;\n 3,4]")
  }

  @Test func errorsAreEqualByCodeAndUserInfo() {
    let error = MLModelError(.io, userInfo: [NSLocalizedDescriptionKey: "gone"])
    #expect(error == MLModelError(.io, userInfo: [NSLocalizedDescriptionKey: "gone"]))
    #expect(error != MLModelError(.io) && MLModelError(.io) != MLModelError(.generic))
    #expect(error.localizedDescription == "gone" && (error as NSError).code == 3)
    #expect((error as NSError).userInfo[NSLocalizedDescriptionKey] as? String == "gone")
    #expect(error.code == MLModelError.io && error.errorUserInfo.count == 1 && Set([error, error]).count == 1)
  }

  @Test func descriptionsAreEqualAndCopied() throws {
    let url = try MLModel.compileModel(at: SampleCodeChecks.cases().appending(path: "digits/Digits.mlmodel"))
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let (one, other) = (try MLModel(contentsOf: url), try MLModel(contentsOf: url))
    #expect(one.modelDescription == other.modelDescription && one != other)
    let image = one.modelDescription.inputDescriptionsByName["image"]
    #expect(image == other.modelDescription.inputDescriptionsByName["image"])
    #expect(image != one.modelDescription.outputDescriptionsByName["label"])
    #expect((image?.copy() as? MLFeatureDescription) == image)
    #expect(image?.description == "image : MultiArray (Double, 1 × 8 × 8)")
    let float = try MLMultiArray(shape: [1, 8, 8], dataType: .float32)
    #expect(image?.isAllowedValue(MLFeatureValue(multiArray: float)) == false)
    #expect(
      image?.isAllowedValue(MLFeatureValue(multiArray: try MLMultiArray(shape: [1, 8, 8], dataType: .double))) == true)
    let empty = MLModelDescription()
    #expect(empty.inputDescriptionsByName.isEmpty && empty == MLModelDescription())
  }

  @Test func buffersSeeMultiArrays() throws {
    let array = try MLMultiArray([1, 2, 3] as [Float])
    #expect(try UnsafeBufferPointer<Float>(array).reduce(0, +) == 6)
    try UnsafeMutableBufferPointer<Float>(array)[1] = 9
    #expect(array[1] == 9)
    #expect(throws: MLModelError.self) { try UnsafeBufferPointer<Int32>(array) }
  }
}
