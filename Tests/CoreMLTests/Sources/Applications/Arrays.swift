// swift-format-ignore-file
import CoreML

// Arrays of values, and images as values.

func slices() -> [Float] {
    var found: [Float] = []
    var array = MLShapedArray<Float>(scalars: (0..<24).map(Float.init), shape: [2, 3, 4])
    found += array[0].scalars.prefix(2)
    found += array[1, 2].scalars
    found.append(array[1, 2, 3].scalar!)
    found.append(array[scalarAt: 0, 1, 2])
    found.append(array[scalarAt: [1, 0, 0]])
    found += array[0..<1, 1...2, 3...].scalars
    array[0, 0] = MLShapedArraySlice<Float>(repeating: 9, shape: [4])
    array[scalarAt: 0, 0, 0] = 8
    array[1][2][3] = MLShapedArraySlice(scalar: 7)
    for (place, slice) in array.enumerated() where place == 1 { found.append(slice[scalarAt: 2, 3]) }
    array.withUnsafeMutableShapedBufferPointer { pointer, shape, strides in
        pointer[strides[0] * (shape[0] - 1)] = 5
    }
    found.append(array[1, 0, 0].scalar ?? -1)
    array.withUnsafeShapedBufferPointer { pointer, _, strides in found.append(pointer[strides[1]]) }
    let halves = MLShapedArray<Float16>(converting: array)
    found.append(Float(halves[scalarAt: 1, 2, 3]))
    let doubled = MLShapedArray<Float>(scalars: array.scalars.map { $0 * 2 }, shape: array.shape)
    found.append(doubled.scalars.max()!)
    let joined = MLShapedArray<Float>(concatenating: [array, doubled], alongAxis: -1)
    found.append(Float(joined.shape[2]))
    let rows: [[Float]] = array.squeezingShape().reshaped(to: [6, 4]).map { Array($0.scalars) }
    found.append(rows[5][3])
    let literal: MLShapedArray<Int32> = [1, 2, 3]
    found.append(Float(literal.scalars.reduce(0, +)))
    let random = MLShapedArray<Float>(randomScalarsIn: -1...1, shape: [2, 2])
    found.append(random.scalars.allSatisfy { (-1...1).contains($0) } ? 1 : 0)
    if let data = try? JSONEncoder().encode(literal), let back = try? JSONDecoder().decode(MLShapedArray<Int32>.self, from: data) {
        found.append(back == literal ? 1 : 0)
    }
    return found
}

func pictureValue(at url: URL, for model: MLModel, named name: String) throws -> MLFeatureValue {
    guard let constraint = model.modelDescription.inputDescriptionsByName[name]?.imageConstraint else {
        throw MLModelError(.featureType)
    }
    return try MLFeatureValue(imageAt: url, constraint: constraint, options: [.cropAndScale: 1 as NSNumber])
}

func pictureValue(at url: URL, orientation: CGImagePropertyOrientation, constraint: MLImageConstraint) throws -> CVPixelBuffer? {
    let options: [MLFeatureValue.ImageOption: Any] = [
        .cropRect: CGRect(x: 0, y: 0, width: 0.5, height: 0.5), .cropAndScale: 2,
    ]
    let value = try MLFeatureValue(imageAt: url, orientation: orientation, constraint: constraint, options: options)
    return value.imageBufferValue
}
