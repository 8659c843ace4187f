import CoreMLSpec

extension NetworkImport {
  /// Which method lowers which kind of layer.
  mutating func lower(_ kind: Specification.NeuralNetworkLayer.OneOfLayer) throws {
    switch kind {
    // Weights
    case .convolution(let p): try convolution(p)
    case .convolution3d(let p): try convolution3d(p)
    case .innerProduct(let p): try innerProduct(p)
    case .embedding(let p): try embedding(p)
    case .embeddingND(let p): try embeddingND(p)
    case .batchedMatmul(let p): try batchedMatmul(p)
    // Pooling
    case .pooling(let p): try pooling(p)
    case .pooling3d(let p): try pooling3d(p)
    case .globalPooling3d(let p): try globalPooling3d(p)
    // Activations
    case .activation(let p): try activation(p)
    case .gelu(let p): try gelu(p)
    case .clampedReLU(let p): try clampedReLU(p)
    case .softmax: try softmax()
    case .softmaxND(let p): try softmaxND(p)
    // Normalisation
    case .batchnorm(let p): try batchnorm(p)
    case .mvn(let p): try mvn(p)
    case .l2normalize(let p): try l2normalize(p)
    case .lrn(let p): try lrn(p)
    case .layerNormalization(let p): try layerNormalization(p)
    // Legacy arithmetic
    case .unary(let p): try unary(p)
    case .add(let p): try combine("add", alpha: p.alpha)
    case .multiply(let p): try combine("mul", alpha: p.alpha)
    case .max: try combine("maximum", alpha: nil)
    case .min: try combine("minimum", alpha: nil)
    case .average: try average()
    case .scale(let p): try scale(p)
    case .bias(let p): try bias(p)
    case .dot(let p): try dot(p)
    // Legacy arrangement
    case .loadConstant(let p): try loadConstant(p)
    case .reshape(let p): try reshape(p)
    case .flatten(let p): try flatten(p)
    case .permute(let p): try permute(p)
    case .concat(let p): try concat(p)
    case .split(let p): try split(p)
    case .sequenceRepeat(let p): try sequenceRepeat(p)
    case .reorganizeData(let p): try reorganizeData(p)
    case .slice(let p): try slice(p)
    case .crop(let p): try crop(p)
    case .padding(let p): try padding(p)
    case .reduce(let p): try reduce(p)
    default: throw error(.unsupported, "this kind of layer is not supported")
    }
  }
}
