import CoreMLSpec

/// Finds the type and the method that lower a layer.
extension NetworkImport {
  /// Calls the method that lowers a kind of layer. The switch is exhaustive, so the compiler checks that every kind of
  /// the schema is handled.
  func lower(_ kind: Specification.NeuralNetworkLayer.OneOfLayer) throws {
    switch kind {
    // Weights
    case .convolution(let p): try convolutions.convolution(p)
    case .convolution3d(let p): try convolutions.convolution3d(p)
    case .innerProduct(let p): try convolutions.innerProduct(p)
    case .embedding(let p): try convolutions.embedding(p)
    case .embeddingND(let p): try convolutions.embeddingND(p)
    case .batchedMatmul(let p): try convolutions.batchedMatmul(p)
    // Pooling
    case .pooling(let p): try pools.pooling(p)
    case .pooling3d(let p): try pools.pooling3d(p)
    case .globalPooling3d(let p): try pools.globalPooling3d(p)
    // Activations
    case .activation(let p): try activations.activation(p)
    case .gelu(let p): try activations.gelu(p)
    case .clampedReLU(let p): try activations.clampedReLU(p)
    case .softmax: try activations.softmax()
    case .softmaxND(let p): try activations.softmaxND(p)
    // Normalization
    case .batchnorm(let p): try normalizations.batchnorm(p)
    case .mvn(let p): try normalizations.mvn(p)
    case .l2normalize(let p): try normalizations.l2normalize(p)
    case .lrn(let p): try normalizations.lrn(p)
    case .layerNormalization(let p): try normalizations.layerNormalization(p)
    // Legacy arithmetic
    case .unary(let p): try arithmetic.unary(p)
    case .add(let p): try arithmetic.combine("add", alpha: p.alpha)
    case .multiply(let p): try arithmetic.combine("mul", alpha: p.alpha)
    case .max: try arithmetic.combine("maximum", alpha: nil)
    case .min: try arithmetic.combine("minimum", alpha: nil)
    case .average: try arithmetic.average()
    case .scale(let p): try arithmetic.scale(p)
    case .bias(let p): try arithmetic.bias(p)
    case .dot(let p): try arithmetic.dot(p)
    // Legacy arrangement
    case .loadConstant(let p): try arrangements.loadConstant(p)
    case .reshape(let p): try arrangements.reshape(p)
    case .flatten(let p): try arrangements.flatten(p)
    case .permute(let p): try arrangements.permute(p)
    case .concat(let p): try arrangements.concat(p)
    case .split(let p): try arrangements.split(p)
    case .sequenceRepeat(let p): try arrangements.sequenceRepeat(p)
    case .reorganizeData(let p): try arrangements.reorganizeData(p)
    case .slice(let p): try arrangements.slice(p)
    case .crop(let p): try arrangements.crop(p)
    case .padding(let p): try arrangements.padding(p)
    case .reduce(let p): try arrangements.reduce(p)
    // Elementwise
    case .clip(let p): try unaryMath.clip(p)
    case .ceil: try activations.pointwise("ceil")
    case .floor: try activations.pointwise("floor")
    case .sign: try activations.pointwise("sign")
    case .round: try activations.pointwise("round")
    case .exp2: try activations.pointwise("exp2")
    case .sin: try activations.pointwise("sin")
    case .cos: try activations.pointwise("cos")
    case .tan: try activations.pointwise("tan")
    case .asin: try activations.pointwise("asin")
    case .acos: try activations.pointwise("acos")
    case .atan: try activations.pointwise("atan")
    case .sinh: try activations.pointwise("sinh")
    case .cosh: try activations.pointwise("cosh")
    case .tanh: try activations.pointwise("tanh")
    case .asinh: try activations.pointwise("nn.asinh")
    case .acosh: try activations.pointwise("nn.acosh")
    case .atanh: try activations.pointwise("atanh")
    case .erf: try activations.pointwise("erf")
    case .logicalNot: try unaryMath.logicalNot()
    // Broadcast
    case .addBroadcastable: try broadcasts.broadcast("add")
    case .subtractBroadcastable: try broadcasts.broadcast("sub")
    case .multiplyBroadcastable: try broadcasts.broadcast("mul")
    case .divideBroadcastable: try broadcasts.broadcast("real_div")
    case .floorDivBroadcastable: try broadcasts.broadcast("floor_div")
    case .modBroadcastable: try broadcasts.broadcast("mod")
    case .powBroadcastable: try broadcasts.broadcast("pow")
    case .maxBroadcastable: try broadcasts.broadcast("maximum")
    case .minBroadcastable: try broadcasts.broadcast("minimum")
    case .equal(let p): try broadcasts.compare("equal", alpha: p.alpha)
    case .notEqual(let p): try broadcasts.compare("not_equal", alpha: p.alpha)
    case .lessThan(let p): try broadcasts.compare("less", alpha: p.alpha)
    case .lessEqual(let p): try broadcasts.compare("less_equal", alpha: p.alpha)
    case .greaterThan(let p): try broadcasts.compare("greater", alpha: p.alpha)
    case .greaterEqual(let p): try broadcasts.compare("greater_equal", alpha: p.alpha)
    case .logicalAnd: try broadcasts.logical("logical_and")
    case .logicalOr: try broadcasts.logical("logical_or")
    case .logicalXor: try broadcasts.logical("logical_xor")
    // Reductions
    case .reduceL1(let p): try reductions.reduce("reduce_l1_norm", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceL2(let p): try reductions.reduce("reduce_l2_norm", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceMax(let p): try reductions.reduce("reduce_max", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceMin(let p): try reductions.reduce("reduce_min", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceSum(let p): try reductions.reduce("reduce_sum", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceProd(let p): try reductions.reduce("reduce_prod", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceMean(let p): try reductions.reduce("reduce_mean", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceLogSum(let p):
      try reductions.reduce("reduce_log_sum", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceSumSquare(let p):
      try reductions.reduce("reduce_sum_square", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .reduceLogSumExp(let p):
      try reductions.reduce("reduce_log_sum_exp", axes: p.axes, keepDims: p.keepDims, all: p.reduceAll)
    case .argMax(let p): try reductions.argument("reduce_argmax", axis: p.axis, removeDim: p.removeDim)
    case .argMin(let p): try reductions.argument("reduce_argmin", axis: p.axis, removeDim: p.removeDim)
    case .topK(let p): try reductions.topK(p)
    case .argSort(let p): try reductions.argSort(p)
    case .cumSum(let p): try reductions.cumSum(p)
    // Shapes
    case .squeeze(let p): try shapes.squeeze(p)
    case .expandDims(let p): try shapes.expandDims(p)
    case .flattenTo2D(let p): try shapes.flattenTo2D(p)
    case .reshapeStatic(let p): try shapes.reshapeStatic(p)
    case .reshapeLike: try shapes.reshapeLike()
    case .reshapeDynamic: try shapes.reshapeDynamic()
    case .rankPreservingReshape(let p): try shapes.rankPreservingReshape(p)
    case .getShape: try shapes.getShape()
    case .broadcastToLike: try shapes.broadcastToLike()
    case .broadcastToStatic(let p): try shapes.broadcastToStatic(p)
    case .broadcastToDynamic: try shapes.broadcastToDynamic()
    // Arrangement
    case .transpose(let p): try rearrangements.transpose(p)
    case .concatND(let p): try rearrangements.concatND(p)
    case .stack(let p): try rearrangements.stack(p)
    case .splitND(let p): try rearrangements.splitND(p)
    case .tile(let p): try rearrangements.tile(p)
    case .reverse(let p): try rearrangements.reverse(p)
    case .reverseSeq(let p): try rearrangements.reverseSeq(p)
    case .slidingWindows(let p): try rearrangements.slidingWindows(p)
    case .sliceStatic(let p): try slices.sliceStatic(p)
    case .sliceDynamic(let p): try slices.sliceDynamic(p)
    case .sliceBySize(let p): try slices.sliceBySize(p)
    case .constantPad(let p): try slices.constantPad(p)
    // Gather, scatter, select
    case .gather(let p): try gathers.gather(p)
    case .gatherND: try gathers.gatherND()
    case .gatherAlongAxis(let p): try gathers.gatherAlongAxis(p)
    case .scatter(let p): try gathers.scatter(p)
    case .scatterND(let p): try gathers.scatterND(p)
    case .scatterAlongAxis(let p): try gathers.scatterAlongAxis(p)
    case .oneHot(let p): try gathers.oneHot(p)
    case .whereNonZero: try selections.whereNonZero()
    case .whereBroadcastable: try selections.whereBroadcastable()
    case .matrixBandPart(let p): try selections.matrixBandPart(p)
    case .lowerTriangular(let p): try selections.lowerTriangular(p)
    case .upperTriangular(let p): try selections.upperTriangular(p)
    case .nonMaximumSuppression(let p): try selections.nonMaximumSuppression(p)
    // Creation
    case .loadConstantND(let p): try creation.loadConstantND(p)
    case .fillLike(let p): try creation.fillLike(p)
    case .fillStatic(let p): try creation.fillStatic(p)
    case .fillDynamic(let p): try creation.fillDynamic(p)
    case .rangeStatic(let p): try creation.rangeStatic(p)
    case .rangeDynamic(let p): try creation.rangeDynamic(p)
    // Resizing
    case .upsample(let p): try resizings.upsample(p)
    case .resizeBilinear(let p): try resizings.resizeBilinear(p)
    case .cropResize(let p): try resizings.cropResize(p)
    // Sequences
    case .simpleRecurrent(let p): try recurrence.simpleRecurrent(p)
    case .gru(let p): try recurrence.gru(p)
    case .uniDirectionalLSTM(let p): try recurrence.uniDirectionalLSTM(p)
    case .biDirectionalLSTM(let p): try recurrence.biDirectionalLSTM(p)
    // Control flow
    case .copy: try graph.set(0, graph.input(0))
    case .branch(let p): try branches.branch(p)
    case .loop(let p): try loops.loop(p)
    case .loopBreak: try branches.loopBreak()
    case .loopContinue: try branches.loopContinue()
    // Application code
    case .custom(let p): try customLayers.custom(p)
    // Random
    case .randomNormalLike(let p):
      try randoms.randomNormal(creation.sizesOfInput(), mean: p.mean, stdDev: p.stdDev, seed: p.seed)
    case .randomNormalStatic(let p):
      try randoms.randomNormal(
        creation.targetShape(p.outputShape, "outputShape"), mean: p.mean, stdDev: p.stdDev, seed: p.seed)
    case .randomNormalDynamic(let p):
      try randoms.randomNormal(graph.shapeInput(0), mean: p.mean, stdDev: p.stdDev, seed: p.seed)
    case .randomUniformLike(let p):
      try randoms.randomUniform(creation.sizesOfInput(), low: p.minVal, high: p.maxVal, seed: p.seed)
    case .randomUniformStatic(let p):
      try randoms.randomUniform(
        creation.targetShape(p.outputShape, "outputShape"), low: p.minVal, high: p.maxVal, seed: p.seed)
    case .randomUniformDynamic(let p):
      try randoms.randomUniform(graph.shapeInput(0), low: p.minVal, high: p.maxVal, seed: p.seed)
    case .randomBernoulliLike(let p):
      try randoms.randomBernoulli(creation.sizesOfInput(), probability: p.prob, seed: p.seed)
    case .randomBernoulliStatic(let p):
      try randoms.randomBernoulli(creation.targetShape(p.outputShape, "outputShape"), probability: p.prob, seed: p.seed)
    case .randomBernoulliDynamic(let p):
      try randoms.randomBernoulli(graph.shapeInput(0), probability: p.prob, seed: p.seed)
    case .categoricalDistribution(let p): try randoms.categoricalDistribution(p)
    }
  }

  private var activations: ActivationLayers { ActivationLayers(graph: graph) }
  private var arithmetic: ArithmeticLayers { ArithmeticLayers(graph: graph) }
  private var arrangements: ArrangementLayers { ArrangementLayers(graph: graph) }
  private var branches: BranchLayers { BranchLayers(network: self) }
  private var broadcasts: BroadcastLayers { BroadcastLayers(graph: graph) }
  private var convolutions: ConvolutionLayers { ConvolutionLayers(graph: graph) }
  private var creation: CreationLayers { CreationLayers(graph: graph) }
  private var customLayers: CustomLayers { CustomLayers(graph: graph) }
  private var gathers: GatherLayers { GatherLayers(graph: graph) }
  private var loops: LoopLayers { LoopLayers(network: self) }
  private var normalizations: NormalizationLayers { NormalizationLayers(graph: graph) }
  private var pools: PoolingLayers { PoolingLayers(graph: graph) }
  private var randoms: RandomLayers { RandomLayers(graph: graph) }
  private var rearrangements: RearrangementLayers { RearrangementLayers(graph: graph) }
  private var recurrence: RecurrentLayers { RecurrentLayers(graph: graph) }
  private var reductions: ReductionLayers { ReductionLayers(graph: graph) }
  private var resizings: ResizingLayers { ResizingLayers(graph: graph) }
  private var selections: SelectionLayers { SelectionLayers(graph: graph) }
  private var shapes: ShapeLayers { ShapeLayers(graph: graph) }
  private var slices: SliceLayers { SliceLayers(graph: graph) }
  private var unaryMath: UnaryMathLayers { UnaryMathLayers(graph: graph) }
}
