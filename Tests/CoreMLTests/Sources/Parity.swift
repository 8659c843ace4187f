// swift-format-ignore-file
import CoreML

// Every symbol of Apple's framework that has a meaning here, used once. `//=` precedes an equal symbol, `//~` one that
// differs here with the difference, and `//x` an absent one with the reason. The file is compiled in both language
// modes and never run. docs/api-coverage.md is generated from it.

//# MLModel
func parityOfModels(url: URL, asset: MLModelAsset, configuration: MLModelConfiguration, provider: MLFeatureProvider, batch: MLBatchProvider, options: MLPredictionOptions, tensors: [String: MLTensor]) async throws {
    let model = try MLModel(contentsOf: url)                                            //= init(contentsOf:)
    _ = try MLModel(contentsOf: url, configuration: configuration)                      //= init(contentsOf:configuration:)
    MLModel.load(contentsOf: url) { (_: Result<MLModel, Error>) in }                    //= load(contentsOf:configuration:completionHandler:)
    _ = try await MLModel.load(contentsOf: url, configuration: configuration)           //= load(contentsOf:configuration:)
    MLModel.load(asset, configuration: configuration) { (_: MLModel?, _: Error?) in }   //= load(_:configuration:completionHandler:)
    _ = try await MLModel.load(asset: asset, configuration: configuration)              //= load(asset:configuration:)
    let compile: (URL) throws -> URL = MLModel.compileModel(at:)                        //= compileModel(at:)
    _ = compile
    MLModel.compileModel(at: url) { (_: Result<URL, Error>) in }                        //= compileModel(at:completionHandler:)
    _ = try await MLModel.compileModel(at: url)                                         //= compileModel(at:) async
    _ = model.modelDescription                                                          //= modelDescription
    _ = model.configuration                                                             //= configuration
    let predict: (MLFeatureProvider, MLPredictionOptions) throws -> MLFeatureProvider = model.prediction(from:options:) //= prediction(from:options:)
    _ = predict
    let simple: (MLFeatureProvider) throws -> MLFeatureProvider = model.prediction(from:) //= prediction(from:)
    _ = simple
    _ = try await model.prediction(from: provider, options: options)                    //= prediction(from:options:) async
    model.prediction(from: provider, options: options) { (_: MLFeatureProvider?, _: Error?) in } //= prediction(from:options:completionHandler:)
    _ = try model.predictions(fromBatch: batch)                                         //= predictions(fromBatch:)
    _ = try model.predictions(from: batch, options: options)                            //= predictions(from:options:)
    let state = model.makeState()                                                       //= makeState()
    let stateful: (MLFeatureProvider, MLState) throws -> MLFeatureProvider = model.prediction(from:using:) //= prediction(from:using:)
    _ = stateful
    let optional: (MLFeatureProvider, MLState, MLPredictionOptions) throws -> MLFeatureProvider = model.prediction(from:using:options:) //= prediction(from:using:options:)
    _ = optional
    _ = try await model.prediction(from: provider, using: state, options: options)      //= prediction(from:using:options:) async
    _ = try await model.prediction(from: tensors)                                       //= prediction(from: [String: MLTensor])
    _ = try await model.prediction(from: tensors, using: state)                         //= prediction(from: [String: MLTensor], using:)
    _ = try model.parameterValue(for: .weights)                                         //= parameterValue(for:)
    _ = MLModel.availableComputeDevices                                                 //= availableComputeDevices
    let written: (any MLModel & MLWritable)? = nil
    try written?.write(to: url)                                                         //= MLWritable.write(to:)
}

//# MLModelConfiguration
func parityOfConfigurations(configuration: MLModelConfiguration) {
    configuration.computeUnits = .all                                                   //~ computeUnits: the CPU takes the place of the Neural Engine
    _ = [MLComputeUnits.cpuOnly, .cpuAndGPU, .all, .cpuAndNeuralEngine]                 //= MLComputeUnits
    configuration.allowLowPrecisionAccumulationOnGPU = false                            //~ allowLowPrecisionAccumulationOnGPU: OpenCL kernels always accumulate in fp32; if it is true, they may round factors to TF32 first
    configuration.preferredOpenCLDevice = nil                                           //~ preferredMetalDevice: preferredOpenCLDevice names an OpenCL device instead
    configuration.parameters = [.weights.scoped(to: "fc"): 1]                           //= parameters
    configuration.functionName = "main"                                                 //= functionName
    configuration.modelDisplayName = "name"                                             //~ modelDisplayName: it appears in the model's description
    var hints = MLOptimizationHints()                                                   //= MLOptimizationHints
    hints.reshapeFrequency = .infrequent                                                //= reshapeFrequency
    hints.specializationStrategy = .fastPrediction                                      //= specializationStrategy
    configuration.optimizationHints = hints                                             //= optimizationHints
    _ = configuration.copy() as? MLModelConfiguration                                   //= copy()
    _ = try? NSKeyedArchiver.archivedData(withRootObject: configuration, requiringSecureCoding: true) //= NSSecureCoding
}

//# MLPredictionOptions
func parityOfOptions(options: MLPredictionOptions, array: MLMultiArray) {
    options.usesCPUOnly = true                                                          //= usesCPUOnly
    options.outputBackings = ["y": array]                                               //= outputBackings
}

//# Descriptions
func parityOfDescriptions(description: MLModelDescription, feature: MLFeatureDescription, parameter: MLParameterDescription, value: MLFeatureValue) {
    _ = description.inputDescriptionsByName                                             //= inputDescriptionsByName
    _ = description.outputDescriptionsByName                                            //= outputDescriptionsByName
    _ = description.stateDescriptionsByName                                             //= stateDescriptionsByName
    _ = description.predictedFeatureName                                                //= predictedFeatureName
    _ = description.predictedProbabilitiesName                                          //= predictedProbabilitiesName
    _ = [MLModelMetadataKey.description, .versionString, .author, .license, .creatorDefinedKey].map { description.metadata[$0] } //= metadata
    _ = description.classLabels                                                         //= classLabels
    _ = description.isUpdatable                                                         //= isUpdatable
    _ = description.trainingInputDescriptionsByName                                     //= trainingInputDescriptionsByName
    _ = description.parameterDescriptionsByKey                                          //= parameterDescriptionsByKey
    _ = (feature.name, feature.type, feature.isOptional)                                //= MLFeatureDescription.name, type, isOptional
    _ = feature.isAllowedValue(value)                                                   //= isAllowedValue(_:)
    _ = [MLFeatureType.invalid, .int64, .double, .string, .image, .multiArray, .dictionary, .sequence, .state] //= MLFeatureType
    if let constraint = feature.multiArrayConstraint {                                  //= multiArrayConstraint
        _ = (constraint.shape, constraint.dataType)                                     //= MLMultiArrayConstraint.shape, dataType
        _ = constraint.shapeConstraint.type == MLMultiArrayShapeConstraintType.range    //= MLMultiArrayShapeConstraint.type
        _ = constraint.shapeConstraint.sizeRangeForDimension                            //= sizeRangeForDimension
        _ = constraint.shapeConstraint.enumeratedShapes                                 //= enumeratedShapes
    }
    if let constraint = feature.imageConstraint {                                       //= imageConstraint
        _ = (constraint.pixelsHigh, constraint.pixelsWide, constraint.pixelFormatType)  //= MLImageConstraint.pixelsHigh, pixelsWide, pixelFormatType
        let size = constraint.sizeConstraint                                            //= MLImageConstraint.sizeConstraint
        _ = (size.type == MLImageSizeConstraintType.range, size.pixelsWideRange, size.pixelsHighRange) //= MLImageSizeConstraint.type, pixelsWideRange, pixelsHighRange
        _ = size.enumeratedImageSizes.map { ($0.pixelsWide, $0.pixelsHigh) }            //= enumeratedImageSizes, MLImageSize
    }
    _ = feature.dictionaryConstraint?.keyType                                           //= dictionaryConstraint, MLDictionaryConstraint.keyType
    _ = (feature.sequenceConstraint?.valueDescription, feature.sequenceConstraint?.countRange) //= sequenceConstraint, MLSequenceConstraint
    _ = (feature.stateConstraint?.bufferShape, feature.stateConstraint?.dataType)       //= stateConstraint, MLStateConstraint
    _ = (parameter.key, parameter.defaultValue)                                         //= MLParameterDescription.key, defaultValue
    _ = (parameter.numericConstraint?.minNumber, parameter.numericConstraint?.maxNumber, parameter.numericConstraint?.enumeratedNumbers) //= numericConstraint, MLNumericConstraint
    _ = try? NSKeyedArchiver.archivedData(withRootObject: description, requiringSecureCoding: true) //= NSSecureCoding of descriptions and constraints
}

//# Values and providers
func parityOfValues(url: URL, array: MLMultiArray, buffer: CVPixelBuffer, picture: CGImage, constraint: MLImageConstraint, provider: MLFeatureProvider) throws {
    let value = MLFeatureValue(int64: 1)                                                //= MLFeatureValue.init(int64:)
    _ = (MLFeatureValue(double: 1), MLFeatureValue(string: ""))                         //= init(double:), init(string:)
    _ = (MLFeatureValue(multiArray: array), MLFeatureValue(pixelBuffer: buffer))        //= init(multiArray:), init(pixelBuffer:)
    _ = (MLFeatureValue(sequence: MLSequence(strings: [])), MLFeatureValue(undefined: .double)) //= init(sequence:), init(undefined:)
    _ = try MLFeatureValue(dictionary: ["a": 1])                                        //= init(dictionary:)
    _ = (value.type, value.isUndefined, value.int64Value, value.doubleValue, value.stringValue) //= type, isUndefined, int64Value, doubleValue, stringValue
    _ = (value.multiArrayValue, value.dictionaryValue, value.imageBufferValue, value.sequenceValue) //= multiArrayValue, dictionaryValue, imageBufferValue, sequenceValue
    _ = value.isEqual(to: value)                                                        //= isEqual(to:)
    let shaped = MLShapedArray<Float>(repeating: 0, shape: [1])
    _ = MLFeatureValue(shapedArray: shaped).shapedArrayValue(of: Float.self)            //= init(shapedArray:), shapedArrayValue(of:)
    let options: [MLFeatureValue.ImageOption: Any] = [.cropRect: CGRect(), .cropAndScale: 0] //= ImageOption.cropRect, cropAndScale
    _ = (MLFeatureValue.ImageOption("own"), MLFeatureValue.ImageOption(rawValue: "own")) //= ImageOption.init(_:)
    _ = try MLFeatureValue(imageAt: url, constraint: constraint, options: options)      //= init(imageAt:constraint:options:)
    _ = try MLFeatureValue(imageAt: url, orientation: .up, constraint: constraint, options: nil) //= init(imageAt:orientation:constraint:options:)
    _ = try MLFeatureValue(imageAt: url, pixelsWide: 1, pixelsHigh: 1, pixelFormatType: kCVPixelFormatType_32BGRA, options: nil) //= init(imageAt:pixelsWide:pixelsHigh:pixelFormatType:options:)
    _ = try MLFeatureValue(imageAt: url, orientation: .up, pixelsWide: 1, pixelsHigh: 1, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil) //= init(imageAt:orientation:pixelsWide:pixelsHigh:pixelFormatType:options:)
    _ = try MLFeatureValue(cgImage: picture, constraint: constraint)                    //= init(cgImage:constraint:options:)
    _ = try MLFeatureValue(cgImage: picture, orientation: .up, constraint: constraint)  //= init(cgImage:orientation:constraint:options:)
    _ = try MLFeatureValue(cgImage: picture, pixelsWide: 1, pixelsHigh: 1, pixelFormatType: kCVPixelFormatType_OneComponent8) //= init(cgImage:pixelsWide:pixelsHigh:pixelFormatType:options:)
    _ = try MLFeatureValue(cgImage: picture, orientation: .up, pixelsWide: 1, pixelsHigh: 1, pixelFormatType: kCVPixelFormatType_OneComponent16Half) //= init(cgImage:orientation:pixelsWide:pixelsHigh:pixelFormatType:options:)
    let sendable = [MLSendableFeatureValue(1), MLSendableFeatureValue(Int32(1)), MLSendableFeatureValue(Float(1)), MLSendableFeatureValue(1.5), MLSendableFeatureValue("a")] //= MLSendableFeatureValue.init of numbers and strings
    _ = [MLSendableFeatureValue(["a"]), MLSendableFeatureValue(["a": 1.5]), MLSendableFeatureValue(["a": 1]), MLSendableFeatureValue([1: 1.5]), MLSendableFeatureValue([1: 1])] //= MLSendableFeatureValue.init of sequences and dictionaries
    _ = (MLSendableFeatureValue(undefined: .int64), MLSendableFeatureValue(shaped), MLSendableFeatureValue(value)) //= init(undefined:), init(_: MLShapedArray), init?(_: MLFeatureValue)
    _ = sendable.map { ($0.type, $0.isUndefined, $0.isScalar, $0.isShapedArray) }       //= isScalar, isShapedArray
    _ = sendable.map { ($0.integerValue, $0.float16Value, $0.floatValue, $0.doubleValue, $0.stringValue) } //= integerValue, float16Value, floatValue, doubleValue, stringValue
    _ = sendable.map { ($0.stringArrayValue, $0.stringDictionaryValue, $0.integerDictionaryValue) } //= stringArrayValue, stringDictionaryValue, integerDictionaryValue
    _ = sendable.map { ($0.shapedArrayValue(of: Float.self), MLFeatureValue($0)) }      //= MLSendableFeatureValue.shapedArrayValue(of:), MLFeatureValue.init(_:)
    _ = (provider.featureNames, provider.featureValue(for: ""))                         //= MLFeatureProvider
    let dictionary = try MLDictionaryFeatureProvider(dictionary: ["a": 1])              //= MLDictionaryFeatureProvider.init(dictionary:)
    _ = (dictionary.dictionary, dictionary["a"])                                        //= MLDictionaryFeatureProvider.dictionary, subscript
    let batch = MLArrayBatchProvider(array: [provider])                                 //= MLArrayBatchProvider.init(array:)
    _ = try MLArrayBatchProvider(dictionary: ["a": [1]])                                //= MLArrayBatchProvider.init(dictionary:)
    _ = (batch.count, batch.features(at: 0), batch.array)                               //= MLBatchProvider, MLArrayBatchProvider.array
    _ = (MLSequence(empty: .string), MLSequence(int64s: [1]).int64Values, MLSequence(strings: []).stringValues) //= MLSequence
    _ = (MLParameterKey.weights.name, MLMetricKey.lossValue.scope)                      //= MLKey.name, scope
}

//# MLMultiArray
func parityOfMultiArrays(buffer: CVPixelBuffer, pointer: UnsafeMutableRawPointer) throws {
    _ = [MLMultiArrayDataType.double, .float64, .float32, .float, .float16, .int32, .int8] //= MLMultiArrayDataType
    let array = try MLMultiArray(shape: [2], dataType: .float32)                        //= init(shape:dataType:)
    _ = try MLMultiArray(dataPointer: pointer, shape: [2], dataType: .double, strides: [1], deallocator: nil) //= init(dataPointer:shape:dataType:strides:deallocator:)
    _ = MLMultiArray(pixelBuffer: buffer, shape: [1, 1])                                //= init(pixelBuffer:shape:)
    _ = MLMultiArray(shape: [2], dataType: .float16, strides: [1])                      //= init(shape:dataType:strides:)
    _ = MLMultiArray(concatenating: [array], axis: 0, dataType: .float32)               //= init(concatenating:axis:dataType:)
    _ = (try MLMultiArray([1, 2]), try MLMultiArray([1.5]), try MLMultiArray([Float(1)])) //= init(_:) of collections
    _ = MLMultiArray(MLShapedArray<Float>(repeating: 0, shape: [1]))                    //= init(_:) of shaped arrays
    _ = (array.dataType, array.shape, array.strides, array.count, array.dataPointer, array.pixelBuffer) //= dataType, shape, strides, count, dataPointer, pixelBuffer
    array[0] = array[[1]]                                                               //= subscripts
    array.withUnsafeBytes { _ in }                                                      //= withUnsafeBytes(_:)
    array.withUnsafeMutableBytes { _, _ in }                                            //= withUnsafeMutableBytes(_:)
    array.withUnsafeBufferPointer(ofType: Float.self) { _ in }                          //= withUnsafeBufferPointer(ofType:_:)
    array.withUnsafeMutableBufferPointer(ofType: Float.self) { _, _ in }                //= withUnsafeMutableBufferPointer(ofType:_:)
    _ = (try UnsafeBufferPointer<Float>(array), try UnsafeMutableBufferPointer<Float>(array)) //= UnsafeBufferPointer.init(_:), UnsafeMutableBufferPointer.init(_:)
    array.transfer(to: array)                                                           //= transfer(to:)
}

//# MLShapedArray
func parityOfShapedArrays(buffer: CVPixelBuffer, multiArray: MLMultiArray) {
    var array = MLShapedArray<Float>(scalars: [1, 2], shape: [2])                       //= init(scalars:shape:)
    _ = MLShapedArray<Float>(bytesNoCopy: UnsafeRawPointer(bitPattern: 8)!, shape: [0], strides: [1], deallocator: .none) //= init(bytesNoCopy:shape:strides:deallocator:)
    _ = MLShapedArray<Float>(data: Data(), shape: [0])                                  //= init(data:shape:)
    _ = MLShapedArray<Float>(data: Data(), shape: [0], strides: [1])                    //= init(data:shape:strides:)
    _ = MLShapedArray<Float>(unsafeUninitializedShape: [1]) { _, _ in }                 //= init(unsafeUninitializedShape:initializingWith:)
    _ = (MLShapedArray<Float>(scalar: 1), MLShapedArray<Float>(repeating: 0, shape: [1])) //= init(scalar:), init(repeating:shape:)
    _ = (MLShapedArray<Int32>(converting: array), MLShapedArray<Float>(concatenating: [array], alongAxis: 0)) //= init(converting:), init(concatenating:alongAxis:)
    _ = (MLShapedArray<Float16>(mutating: buffer, shape: [1, 1]), MLShapedArray<Float>(multiArray)) //= init(mutating:shape:), init(_: MLMultiArray)
    _ = (MLShapedArray<Float>(identityMatrixOfSize: 2), MLShapedArray<Float>(randomScalarsIn: 0..<1, shape: [1])) //= init(identityMatrixOfSize:), init(randomScalarsIn:shape:)
    _ = (array.shape, array.strides, array.count, array.scalarCount, array.isScalar, array.scalar, array.scalars) //= shape, strides, count, scalarCount, isScalar, scalar, scalars
    _ = (array[0], array[0..<1], array[scalarAt: 0], array[[0]])                        //= subscripts
    array.withUnsafeShapedBufferPointer { _, _, _ in }                                  //= withUnsafeShapedBufferPointer(_:)
    array.withUnsafeMutableShapedBufferPointer { _, _, _ in }                           //= withUnsafeMutableShapedBufferPointer(_:)
    array.withUnsafeMutableShapedBufferPointer(using: .firstMajorContiguous) { _, _, _ in } //= withUnsafeMutableShapedBufferPointer(using:_:)
    _ = (array.withPixelBufferIfAvailable { _ in }, array.withMutablePixelBufferIfAvailable { _ in }) //= withPixelBufferIfAvailable(_:), withMutablePixelBufferIfAvailable(_:)
    _ = (array.reshaped(to: [2]), array.squeezingShape(), array.expandingShape(at: 0))  //= reshaped(to:), squeezingShape(), expandingShape(at:)
    _ = (array.transposed(), array.transposed(permutation: [0]), array.changingLayout(to: .lastMajorContiguous)) //= transposed(), transposed(permutation:), changingLayout(to:)
    array.fill(with: 1)                                                                 //= fill(with:)
    array.fill(with: [1, 2])                                                            //= fill(with:) of collections
    _ = (array == array, "\(array)", try? JSONEncoder().encode(array), MLShapedArraySlice(array)) //= Equatable, CustomStringConvertible, Codable, MLShapedArraySlice
}

//# MLTensor
func parityOfTensors(bytes: UnsafeRawBufferPointer, shaped: MLShapedArray<Float>) async {
    var x = MLTensor(shape: [2, 2], scalars: [1, 2, 3, 4], scalarType: Float.self)      //= init(shape:scalars:scalarType:)
    let y: MLTensor = [[1.5, 2], [3, 4]]                                                //= array and floating-point literals
    let mask: MLTensor = true                                                           //= Boolean and integer literals
    _ = (MLTensor(Float(1)), MLTensor([Float(1)], scalarType: Float.self), MLTensor(shaped)) //= init(_:) of scalars, collections and shaped arrays
    _ = (MLTensor(shape: [1], data: Data(count: 4), scalarType: Float.self), MLTensor(bytesNoCopy: bytes, shape: [1], scalarType: Float.self, deallocator: .none)) //= init(shape:data:scalarType:), init(bytesNoCopy:shape:scalarType:deallocator:)
    _ = MLTensor(unsafeUninitializedShape: [1], scalarType: Float.self) { _ in }        //= init(unsafeUninitializedShape:scalarType:initializingWith:)
    _ = (MLTensor(repeating: Float(1), shape: [1]), MLTensor(zeros: [1], scalarType: Float.self), MLTensor(ones: [1], scalarType: Int8.self)) //= init(repeating:shape:), init(zeros:scalarType:), init(ones:scalarType:)
    _ = (MLTensor(rangeFrom: Int32(0), to: 4, by: 1), MLTensor(linearSpaceFrom: Float(0), through: 1, count: 3)) //= init(rangeFrom:to:by:), init(linearSpaceFrom:through:count:)
    _ = (MLTensor(randomNormal: [1], mean: 0, standardDeviation: 1, seed: 1), MLTensor(randomUniform: [1], in: 0..<1, seed: 1)) //= init(randomNormal:mean:standardDeviation:seed:), init(randomUniform:in:seed:)
    _ = (MLTensor(concatenating: [x, y], alongAxis: 0), MLTensor(stacking: [x, y], alongAxis: 0)) //= init(concatenating:alongAxis:), init(stacking:alongAxis:)
    _ = (MLTensor([x, y], alongAxis: 0), MLTensor(randomUniform: [1], in: 0...9, seed: 1, scalarType: Int32.self)) //= init(_:alongAxis:), init(randomUniform:in:seed:scalarType:) of integers
    _ = (MLTensor(repeating: 1, shape: [1], scalarType: Int32.self), MLTensor(rangeFrom: UInt8(0), to: 4, by: 1, scalarType: UInt8.self)) //= init(repeating:shape:scalarType:), init(rangeFrom:to:by:scalarType:)
    _ = (x.description, x.customMirror)                                                 //= description, customMirror
    _ = (x.rank, x.shape, x.scalarCount, x.isScalar, x.scalarType)                      //= rank, shape, scalarCount, isScalar, scalarType
    _ = await x.shapedArray(of: Float.self)                                             //= shapedArray(of:)
    _ = (x + y, x - y, x * y, x / y, x % y, -x)                                         //= +, -, *, /, %, prefix -
    _ = (x + Float(1), Float(1) - x, x * Float(2), x / Float(2), x % Float(2))          //= +, -, *, /, % with numbers
    x += y; x -= y; x *= y; x /= y; x %= y                                              //= +=, -=, *=, /=, %=
    _ = (x.pow(y), x.pow(Float(2)))                                                     //= pow(_:)
    _ = (x.abs(), x.acos(), x.acosh(), x.asin(), x.asinh(), x.atan(), x.atanh())        //= abs(), acos(), acosh(), asin(), asinh(), atan(), atanh()
    _ = (x.ceil(), x.cos(), x.cosh(), x.exp(), x.exp2(), x.floor(), x.log())            //= ceil(), cos(), cosh(), exp(), exp2(), floor(), log()
    _ = (x.reciprocal(), x.round(), x.rsqrt(), x.sign(), x.sin(), x.sinh())             //= reciprocal(), round(), rsqrt(), sign(), sin(), sinh()
    _ = (x.squareRoot(), x.squared(), x.tan(), x.tanh())                                //= squareRoot(), squared(), tan(), tanh()
    _ = (x.clamped(to: Float(0)...1), x.clamped(to: Float(0)...), x.clamped(to: ...Float(1))) //= clamped(to:)
    _ = (x.softmax(), x.softmax(alongAxis: 0), pointwiseMax(x, y), pointwiseMin(x, y))  //= softmax(alongAxis:), pointwiseMax(_:_:), pointwiseMin(_:_:)
    _ = (x .== y, x .!= y, x .> y, x .>= y)                                             //= .==, .!=, .>, .>=
    _ = (x .< y, x .<= y)                                                               //= .<, .<=
    _ = (mask .& mask, mask .| mask, mask .^ mask, .!mask)                              //= .&, .|, .^, .!
    _ = (mask.all(), mask.any(), mask.all(alongAxes: []), mask.any(alongAxes: []))      //= all(alongAxes:keepRank:), any(alongAxes:keepRank:)
    _ = (x.sum(), x.sum(alongAxes: 0, keepRank: true), x.sum(alongAxes: [0]))           //= sum(), sum(alongAxes:keepRank:)
    _ = (x.mean(), x.mean(alongAxes: 0), x.min(), x.min(alongAxes: 0), x.max(), x.max(alongAxes: 0)) //= mean(alongAxes:keepRank:), min(alongAxes:keepRank:), max(alongAxes:keepRank:)
    _ = (x.product(), x.product(alongAxes: 0))                                          //= product(alongAxes:keepRank:)
    _ = (x.argmax(), x.argmax(alongAxis: 0), x.argmin(), x.argmin(alongAxis: 0))        //= argmax(alongAxis:), argmin(alongAxis:)
    _ = (x.argsort(), x.argsort(alongAxis: 0, descendingOrder: true), x.topK(1).values, x.topK(1).indices) //= argsort(alongAxis:descendingOrder:), topK(_:)
    _ = (x.cumulativeSum(alongAxis: 0), x.cumulativeProduct(alongAxis: 0))              //= cumulativeSum(alongAxis:), cumulativeProduct(alongAxis:)
    _ = (x.reshaped(to: [4]), x.flattened(), x.squeezingShape(), x.squeezingShape(at: []), x.expandingShape(at: 0)) //= reshaped(to:), flattened(), squeezingShape(), squeezingShape(at:), expandingShape(at:)
    _ = (x.transposed(), x.transposed(permutation: 1, 0), x.transposed(permutation: [1, 0])) //= transposed(), transposed(permutation:)
    _ = (x.concatenated(with: y, alongAxis: 0), x.unstacked(alongAxis: 0), x.split(count: 2, alongAxis: 0), x.split(sizes: [1, 1], alongAxis: 0)) //= concatenated(with:alongAxis:), unstacked(alongAxis:), split(count:alongAxis:), split(sizes:alongAxis:)
    _ = (x.reversed(alongAxes: 0), x.tiled(multiples: [1, 2]), x.bandPart(lowerBandCount: 0, upperBandCount: 0)) //= reversed(alongAxes:), tiled(multiples:), bandPart(lowerBandCount:upperBandCount:)
    _ = (x.padded(forSizes: [(1, 1), (0, 0)], with: Float(0)), x.padded(forSizes: [(1, 1), (0, 0)], mode: .symmetric)) //= padded(forSizes:with:), padded(forSizes:mode:)
    _ = [MLTensor.PaddingMode.constant(0), .reflection, .symmetric]                     //= PaddingMode
    _ = x.resized(to: (newHeight: 4, newWidth: 4), method: .bilinear(alignCorners: true)) //= resized(to:method:)
    _ = [MLTensor.ResizeMethod.nearestNeighbor, .bilinear(alignCorners: false)]         //= ResizeMethod
    let places: MLTensor = [0]
    _ = (x.gathering(atIndices: places), x.gathering(atIndices: places, alongAxis: 0))  //= gathering(atIndices:), gathering(atIndices:alongAxis:)
    _ = (x.replacing(with: y, where: x .> y), x.replacing(with: Float(0), where: x .> y), x.replacing(with: y[0..<1], atIndices: places, alongAxis: 0)) //= replacing(with:where:), replacing(with:atIndices:alongAxis:)
    _ = x.replacing(atIndices: MLTensor(shape: [2, 1], scalars: [Int32(0), 1]), with: Float(0), alongAxis: 1) //= replacing(atIndices:with:alongAxis:)
    _ = (x.cast(to: Int32.self), x.cast(like: y), x.matmul(y))                          //= cast(to:), cast(like:), matmul(_:)
    _ = (x[0], x[0..<1], x[nil, 0], x[..., 0], x[.newAxis, .fillAll, .index(0)])        //= subscripts
    _ = (x[0..<1][.squeezeAxis], x[.range(0..<2, stride: 2)], x[.closedRange(0...1, stride: 1)], x[.partialRangeFrom(0..., stride: 1)]) //= MLTensorRangeExpression
    _ = (x[.partialRangeUpTo(..<1)], x[.partialRangeUpTo(...1)], x[..., .range(0..<2)], x[.closedRange(0...1)]) //= strides that are left out
    _ = withMLTensorComputePolicy(.cpuOnly) { x + y }                                   //= withMLTensorComputePolicy(_:_:)
    _ = await withMLTensorComputePolicy(MLComputePolicy(.cpuAndGPU)) { await (x + y).shapedArray(of: Float.self) } //= withMLTensorComputePolicy(_:_:) async
    _ = [MLComputePolicy.cpuOnly, .cpuAndGPU, MLComputePolicy(.all)].map { ($0.description, $0.customMirror, $0.hashValue) } //= MLComputePolicy, MLComputePolicy.description, MLComputePolicy.customMirror
    let scalars: [any MLTensorScalar.Type] = [Int8.self, Int16.self, Int32.self, UInt8.self, UInt16.self, UInt32.self, Float16.self, Float.self, Bool.self] //= MLTensorScalar
    _ = scalars
}

//# MLState
func parityOfStates(state: MLState) {
    _ = state.withMultiArray(for: "cache") { (array: MLMultiArray) in array.count }     //= withMultiArray(for:_:)
}
@available(*, deprecated)
func parityOfOlderStates(state: MLState) {
    _ = state.withMultiArray("cache") { (array: MLMultiArray) in array.count }          //= withMultiArray(_:_:)
}

//# MLModelAsset
func parityOfAssets(data: Data, url: URL) async throws {
    let asset = try MLModelAsset(specification: data)                                   //= init(specification:)
    _ = try MLModelAsset(specification: data, blobMapping: [url: data])                 //= init(specification:blobMapping:)
    _ = try MLModelAsset(url: url)                                                      //= init(url:)
    _ = try await asset.modelDescription                                                //= modelDescription
    _ = try await asset.modelDescription(of: "main")                                    //= modelDescription(of:)
    _ = try await asset.functionNames                                                   //= functionNames
    asset.modelDescription { (_: MLModelDescription?, _: Error?) in }                   //= modelDescription(completionHandler:)
    asset.modelDescription(ofFunctionNamed: "main") { (_: MLModelDescription?, _: Error?) in } //= modelDescription(ofFunctionNamed:completionHandler:)
    asset.functionNames { (_: [String]?, _: Error?) in }                                //= functionNames(completionHandler:)
}

//# Structure and plan
func parityOfPlans(url: URL, asset: MLModelAsset, configuration: MLModelConfiguration) async throws {
    _ = try await MLModelStructure.load(contentsOf: url)                                //= MLModelStructure.load(contentsOf:)
    _ = try await MLModelStructure.load(asset: asset)                                   //= MLModelStructure.load(asset:)
    _ = try await MLComputePlan.load(asset: asset, configuration: configuration)        //= MLComputePlan.load(asset:configuration:)
    let plan = try await MLComputePlan.load(contentsOf: url, configuration: configuration) //= MLComputePlan.load(contentsOf:configuration:)
    switch plan.modelStructure {                                                        //= modelStructure
    case .neuralNetwork(let network):
        for layer in network.layers {                                                   //= NeuralNetwork.layers
            _ = (layer.name, layer.type, layer.inputNames, layer.outputNames)           //= Layer.name, type, inputNames, outputNames
            _ = plan.deviceUsage(for: layer)                                            //= deviceUsage(for:) of layers
        }
    case .program(let program):
        guard let function = program.functions["main"] else { return }                  //= Program.functions
        _ = (function.inputs.map { ($0.name, $0.type) }, function.block.inputs)         //= Function.inputs, NamedValueType
        _ = function.block.outputNames                                                  //= Block.outputNames
        for operation in function.block.operations {                                    //= Block.operations
            _ = (operation.operatorName, operation.outputs, operation.blocks)           //= Operation.operatorName, outputs, blocks
            for case .name(let name) in operation.inputs.values.flatMap({ $0.bindings }) { _ = name } //= Argument.bindings, Binding
            let usage = plan.deviceUsage(for: operation)                                //= deviceUsage(for:) of operations
            _ = (usage?.supported, usage?.preferred)                                    //= DeviceUsage.supported, preferred
            _ = plan.estimatedCost(of: operation)?.weight                               //= estimatedCost(of:), Cost.weight
        }
    case .pipeline(let pipeline):
        _ = (pipeline.subModelNames, pipeline.subModels)                                //= Pipeline.subModelNames, subModels
    case .unsupported: break                                                            //= unsupported
    }
    for device in MLComputeDevice.allComputeDevices {                                   //= MLComputeDevice.allComputeDevices
        switch device {
        case .cpu(let cpu): _ = cpu as MLCPUComputeDevice                               //= MLCPUComputeDevice
        case .gpu(let gpu): _ = gpu.name                                                //~ MLGPUComputeDevice: it has the name and driver of an OpenCL device instead of metalDevice
        case .neuralEngine(let engine): _ = engine.totalCoreCount                       //~ MLNeuralEngineComputeDevice: there is no Neural Engine here
        }
    }
    _ = MLAllComputeDevices() as [any MLComputeDeviceProtocol]                          //= MLAllComputeDevices(), MLComputeDeviceProtocol
}

//# Updates
func parityOfUpdates(url: URL, batch: MLBatchProvider, configuration: MLModelConfiguration) throws {
    let handlers = MLUpdateProgressHandlers(forEvents: [.trainingBegin, .epochEnd, .miniBatchEnd], progressHandler: nil) { (_: MLUpdateContext) in } //= MLUpdateProgressHandlers, MLUpdateProgressEvent
    let task = try MLUpdateTask(forModelAt: url, trainingData: batch, configuration: configuration, progressHandlers: handlers) //= MLUpdateTask.init(forModelAt:trainingData:configuration:progressHandlers:)
    _ = try MLUpdateTask(forModelAt: url, trainingData: batch, progressHandlers: handlers) //= init(forModelAt:trainingData:progressHandlers:)
    _ = try MLUpdateTask(forModelAt: url, trainingData: batch, configuration: nil) { context in //= init(forModelAt:trainingData:configuration:completionHandler:)
        _ = (context.task, context.event, context.metrics[.lossValue], context.parameters[.learningRate]) //= MLUpdateContext.task, event, metrics, parameters
        _ = context.model as any MLModel & MLWritable                                   //= MLUpdateContext.model
    }
    _ = try MLUpdateTask(forModelAt: url, trainingData: batch) { _ in }                 //= init(forModelAt:trainingData:completionHandler:)
    task.resume(withParameters: [.learningRate: 0.1])                                   //= resume(withParameters:)
    task.resume()                                                                       //= MLTask.resume()
    task.cancel()                                                                       //= MLTask.cancel()
    _ = (task.taskIdentifier, task.error, task.state == MLTaskState.running)            //= taskIdentifier, error, state
    _ = [MLMetricKey.lossValue, .epochIndex, .miniBatchIndex]                           //= MLMetricKey
    _ = [MLParameterKey.learningRate, .momentum, .miniBatchSize, .beta1, .beta2, .eps, .epochs, .shuffle, .seed, .numberOfNeighbors, .linkedModelFileName, .linkedModelSearchPath, .weights, .biases] //= MLParameterKey
    _ = MLParameterKey.weights.scoped(to: "fc")                                         //= scoped(to:)
}

//# Custom code
final class ParityLayer: NSObject, MLCustomLayer {
    init(parameters: [String: Any]) throws { super.init() }                             //= MLCustomLayer.init(parameters:)
    func setWeightData(_ weights: [Data]) throws {}                                     //= setWeightData(_:)
    func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] { inputShapes } //= outputShapes(forInputShapes:)
    func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {}            //~ evaluate(inputs:outputs:): the class is found through MLCustomLayerRegistry
    //x encode(commandBuffer:inputs:outputs:): it takes Metal's buffers
}

final class ParityModel: NSObject, MLCustomModel {
    init(modelDescription: MLModelDescription, parameters: [String: Any]) throws { super.init() } //= MLCustomModel.init(modelDescription:parameters:)
    func prediction(from input: MLFeatureProvider, options: MLPredictionOptions) throws -> MLFeatureProvider { input } //~ MLCustomModel.prediction(from:options:): the class is found through MLCustomModelRegistry
    func predictions(from inputBatch: MLBatchProvider, options: MLPredictionOptions) throws -> MLBatchProvider { inputBatch } //= MLCustomModel.predictions(from:options:)
}

//# Errors
func parityOfErrors(error: Error) {
    _ = MLModelErrorDomain                                                              //= MLModelErrorDomain
    _ = [MLModelError.generic, .featureType, .io, .customLayer, .customModel, .update, .parameters, .modelDecryptionKeyFetch, .modelDecryption, .modelCollection, .predictionCancelled] //= MLModelError.Code
    let own = MLModelError(.io, userInfo: [:])                                          //= MLModelError.init(_:userInfo:)
    do { throw own } catch let caught as NSError { _ = caught.code }                    //= catch let error as NSError
    _ = NSError(domain: MLModelErrorDomain, code: 3) as? MLModelError                   //= NSError as? MLModelError
    _ = (own.code, own.userInfo, own.errorUserInfo, own.localizedDescription, own == own) //= code, userInfo, errorUserInfo, localizedDescription, ==
}

//# Apple's services
func parityOfCollections(collection: MLModelCollection) async throws {
    _ = (collection.identifier, collection.deploymentID)                                //= MLModelCollection.identifier, deploymentID
    _ = collection.entries.mapValues { ($0.modelIdentifier, $0.modelURL) }              //= entries, MLModelCollection.Entry
    _ = MLModelCollection.beginAccessing(identifier: "") { (_: Result<MLModelCollection, Error>) in } //= beginAccessing(identifier:completionHandler:)
    _ = try await MLModelCollection.beginAccessing(identifier: "")                      //~ beginAccessing(identifier:): models come from a channel that CoreMLDelivery registers; Apple's systems ask a service
    MLModelCollection.endAccessing(identifier: "") { (_: Result<Void, Error>) in }      //= endAccessing(identifier:completionHandler:)
    try await MLModelCollection.endAccessing(identifier: "")                            //= endAccessing(identifier:)
    _ = MLModelCollection.didChangeNotification                                         //= didChangeNotification
}
//x encryption of models by Apple's keys: only Apple has the keys, so such models are refused with code 9; models that this project encrypts are read
