import CoreMLSpec

extension NetworkImport {
  /// Which method lowers which kind of layer. Every kind of the schema has its line: the compiler counts them.
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
    // Element by element
    case .clip(let p): try clip(p)
    case .ceil: try pointwise("ceil")
    case .floor: try pointwise("floor")
    case .sign: try pointwise("sign")
    case .round: try pointwise("round")
    case .exp2: try pointwise("exp2")
    case .sin: try pointwise("sin")
    case .cos: try pointwise("cos")
    case .tan: try pointwise("tan")
    case .asin: try pointwise("asin")
    case .acos: try pointwise("acos")
    case .atan: try pointwise("atan")
    case .sinh: try pointwise("sinh")
    case .cosh: try pointwise("cosh")
    case .tanh: try pointwise("tanh")
    case .asinh: try pointwise("nn.asinh")
    case .acosh: try pointwise("nn.acosh")
    case .atanh: try pointwise("atanh")
    case .erf: try pointwise("erf")
    case .logicalNot: try logicalNot()
    // Broadcast
    case .addBroadcastable: try broadcast("add")
    case .subtractBroadcastable: try broadcast("sub")
    case .multiplyBroadcastable: try broadcast("mul")
    case .divideBroadcastable: try broadcast("real_div")
    case .floorDivBroadcastable: try broadcast("floor_div")
    case .modBroadcastable: try broadcast("mod")
    case .powBroadcastable: try broadcast("pow")
    case .maxBroadcastable: try broadcast("maximum")
    case .minBroadcastable: try broadcast("minimum")
    case .equal(let p): try compare("equal", alpha: p.alpha)
    case .notEqual(let p): try compare("not_equal", alpha: p.alpha)
    case .lessThan(let p): try compare("less", alpha: p.alpha)
    case .lessEqual(let p): try compare("less_equal", alpha: p.alpha)
    case .greaterThan(let p): try compare("greater", alpha: p.alpha)
    case .greaterEqual(let p): try compare("greater_equal", alpha: p.alpha)
    case .logicalAnd: try logical("logical_and")
    case .logicalOr: try logical("logical_or")
    case .logicalXor: try logical("logical_xor")
    // Reductions
    case .reduceL1(let p): try reduce("reduce_l1_norm", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceL2(let p): try reduce("reduce_l2_norm", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceMax(let p): try reduce("reduce_max", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceMin(let p): try reduce("reduce_min", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceSum(let p): try reduce("reduce_sum", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceProd(let p): try reduce("reduce_prod", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceMean(let p): try reduce("reduce_mean", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceLogSum(let p): try reduce("reduce_log_sum", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceSumSquare(let p): try reduce("reduce_sum_square", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceLogSumExp(let p): try reduce("reduce_log_sum_exp", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .argMax(let p): try argument("reduce_argmax", axis: p.axis, removeDim: p.removeDim)
    case .argMin(let p): try argument("reduce_argmin", axis: p.axis, removeDim: p.removeDim)
    case .topK(let p): try topK(p)
    case .argSort(let p): try argSort(p)
    case .cumSum(let p): try cumSum(p)
    // Shapes
    case .squeeze(let p): try squeeze(p)
    case .expandDims(let p): try expandDims(p)
    case .flattenTo2D(let p): try flattenTo2D(p)
    case .reshapeStatic(let p): try reshapeStatic(p)
    case .reshapeLike: try reshapeLike()
    case .reshapeDynamic: try reshapeDynamic()
    case .rankPreservingReshape(let p): try rankPreservingReshape(p)
    case .getShape: try getShape()
    case .broadcastToLike: try broadcastToLike()
    case .broadcastToStatic(let p): try broadcastToStatic(p)
    case .broadcastToDynamic: try broadcastToDynamic()
    // Arrangement
    case .transpose(let p): try transpose(p)
    case .concatND(let p): try concatND(p)
    case .stack(let p): try stack(p)
    case .splitND(let p): try splitND(p)
    case .tile(let p): try tile(p)
    case .reverse(let p): try reverse(p)
    case .reverseSeq(let p): try reverseSeq(p)
    case .slidingWindows(let p): try slidingWindows(p)
    case .sliceStatic(let p): try sliceStatic(p)
    case .sliceDynamic(let p): try sliceDynamic(p)
    case .sliceBySize(let p): try sliceBySize(p)
    case .constantPad(let p): try constantPad(p)
    // Gather, scatter, select
    case .gather(let p): try gather(p)
    case .gatherND: try gatherND()
    case .gatherAlongAxis(let p): try gatherAlongAxis(p)
    case .scatter(let p): try scatter(p)
    case .scatterND(let p): try scatterND(p)
    case .scatterAlongAxis(let p): try scatterAlongAxis(p)
    case .oneHot(let p): try oneHot(p)
    case .whereNonZero: try whereNonZero()
    case .whereBroadcastable: try whereBroadcastable()
    case .matrixBandPart(let p): try matrixBandPart(p)
    case .lowerTriangular(let p): try lowerTriangular(p)
    case .upperTriangular(let p): try upperTriangular(p)
    case .nonMaximumSuppression(let p): try nonMaximumSuppression(p)
    // Made of numbers
    case .loadConstantND(let p): try loadConstantND(p)
    case .fillLike(let p): try fillLike(p)
    case .fillStatic(let p): try fillStatic(p)
    case .fillDynamic(let p): try fillDynamic(p)
    case .rangeStatic(let p): try rangeStatic(p)
    case .rangeDynamic(let p): try rangeDynamic(p)
    // Resizing
    case .upsample(let p): try upsample(p)
    case .resizeBilinear(let p): try resizeBilinear(p)
    case .cropResize(let p): try cropResize(p)
    // Sequences
    case .simpleRecurrent(let p): try simpleRecurrent(p)
    case .gru(let p): try gru(p)
    case .uniDirectionalLSTM(let p): try uniDirectionalLSTM(p)
    case .biDirectionalLSTM(let p): try biDirectionalLSTM(p)
    // Control flow
    case .copy: try set(0, input(0))
    case .branch(let p): try branch(p)
    case .loop(let p): try loop(p)
    case .loopBreak: try loopBreak()
    case .loopContinue: try loopContinue()
    case .custom(let p): throw error(.unsupported, try Self.refusal(of: p))
    // Random
    case .randomNormalLike(let p): try randomNormal(sizesOfInput(), mean: p.mean, stdDev: p.stdDev, seed: p.seed)
    case .randomNormalStatic(let p):
      try randomNormal(targetShape(p.outputShape, "outputShape"), mean: p.mean, stdDev: p.stdDev, seed: p.seed)
    case .randomNormalDynamic(let p): try randomNormal(intInput(0), mean: p.mean, stdDev: p.stdDev, seed: p.seed)
    case .randomUniformLike(let p): try randomUniform(sizesOfInput(), low: p.minVal, high: p.maxVal, seed: p.seed)
    case .randomUniformStatic(let p):
      try randomUniform(targetShape(p.outputShape, "outputShape"), low: p.minVal, high: p.maxVal, seed: p.seed)
    case .randomUniformDynamic(let p): try randomUniform(intInput(0), low: p.minVal, high: p.maxVal, seed: p.seed)
    case .randomBernoulliLike(let p): try randomBernoulli(sizesOfInput(), probability: p.prob, seed: p.seed)
    case .randomBernoulliStatic(let p):
      try randomBernoulli(targetShape(p.outputShape, "outputShape"), probability: p.prob, seed: p.seed)
    case .randomBernoulliDynamic(let p): try randomBernoulli(intInput(0), probability: p.prob, seed: p.seed)
    case .categoricalDistribution(let p): try categoricalDistribution(p)
    }
  }

  /// Why a kind of layer cannot be run; nil for one that can.
  static func refusal(of kind: Specification.NeuralNetworkLayer.OneOfLayer) throws -> String? {
    guard case .custom(let params) = kind else { return nil }
    return try refusal(of: params)
  }

  private static func refusal(of params: Specification.CustomLayerParams) throws -> String {
    let name = try params.className
    return
      "\(name.isEmpty ? "a custom layer" : "the custom layer '\(name)'") has its own code, which the file does not hold"
  }
}
