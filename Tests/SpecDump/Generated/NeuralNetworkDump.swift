// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_NeuralNetwork(_ view: Specification.NeuralNetwork) throws {
    try each("layers", try view.layers) { try Specification_NeuralNetworkLayer($0) }
    try each("preprocessing", try view.preprocessing) { try Specification_NeuralNetworkPreprocessing($0) }
    scalar("arrayInputShapeMapping", try view.arrayInputShapeMapping.rawValue)
    scalar("imageInputShapeMapping", try view.imageInputShapeMapping.rawValue)
    try one("updateParams", try view.updateParams) { try Specification_NetworkUpdateParameters($0) }
  }
  func Specification_NeuralNetworkImageScaler(_ view: Specification.NeuralNetworkImageScaler) throws {
    scalar("channelScale", try view.channelScale)
    scalar("blueBias", try view.blueBias)
    scalar("greenBias", try view.greenBias)
    scalar("redBias", try view.redBias)
    scalar("grayBias", try view.grayBias)
  }
  func Specification_NeuralNetworkMeanImage(_ view: Specification.NeuralNetworkMeanImage) throws {
    list("meanImage", try view.meanImage, try view.meanImageBytes)
  }
  func Specification_NeuralNetworkPreprocessing(_ view: Specification.NeuralNetworkPreprocessing) throws {
    scalar("featureName", try view.featureName)
    try one("scaler", try view.scaler) { try Specification_NeuralNetworkImageScaler($0) }
    try one("meanImage", try view.meanImage) { try Specification_NeuralNetworkMeanImage($0) }
    switch try view.preprocessor {
    case .scaler?: oneOf("preprocessor", "scaler")
    case .meanImage?: oneOf("preprocessor", "meanImage")
    case nil: break
    }
  }
  func Specification_ActivationReLU(_ view: Specification.ActivationReLU) throws {
  }
  func Specification_ActivationLeakyReLU(_ view: Specification.ActivationLeakyReLU) throws {
    scalar("alpha", try view.alpha)
  }
  func Specification_ActivationTanh(_ view: Specification.ActivationTanh) throws {
  }
  func Specification_ActivationScaledTanh(_ view: Specification.ActivationScaledTanh) throws {
    scalar("alpha", try view.alpha)
    scalar("beta", try view.beta)
  }
  func Specification_ActivationSigmoid(_ view: Specification.ActivationSigmoid) throws {
  }
  func Specification_ActivationLinear(_ view: Specification.ActivationLinear) throws {
    scalar("alpha", try view.alpha)
    scalar("beta", try view.beta)
  }
  func Specification_ActivationSigmoidHard(_ view: Specification.ActivationSigmoidHard) throws {
    scalar("alpha", try view.alpha)
    scalar("beta", try view.beta)
  }
  func Specification_ActivationPReLU(_ view: Specification.ActivationPReLU) throws {
    try one("alpha", try view.alpha) { try Specification_WeightParams($0) }
  }
  func Specification_ActivationELU(_ view: Specification.ActivationELU) throws {
    scalar("alpha", try view.alpha)
  }
  func Specification_ActivationThresholdedReLU(_ view: Specification.ActivationThresholdedReLU) throws {
    scalar("alpha", try view.alpha)
  }
  func Specification_ActivationSoftsign(_ view: Specification.ActivationSoftsign) throws {
  }
  func Specification_ActivationSoftplus(_ view: Specification.ActivationSoftplus) throws {
  }
  func Specification_ActivationParametricSoftplus(_ view: Specification.ActivationParametricSoftplus) throws {
    try one("alpha", try view.alpha) { try Specification_WeightParams($0) }
    try one("beta", try view.beta) { try Specification_WeightParams($0) }
  }
  func Specification_ActivationParams(_ view: Specification.ActivationParams) throws {
    try one("linear", try view.linear) { try Specification_ActivationLinear($0) }
    try one("ReLU", try view.reLU) { try Specification_ActivationReLU($0) }
    try one("leakyReLU", try view.leakyReLU) { try Specification_ActivationLeakyReLU($0) }
    try one("thresholdedReLU", try view.thresholdedReLU) { try Specification_ActivationThresholdedReLU($0) }
    try one("PReLU", try view.pReLU) { try Specification_ActivationPReLU($0) }
    try one("tanh", try view.tanh) { try Specification_ActivationTanh($0) }
    try one("scaledTanh", try view.scaledTanh) { try Specification_ActivationScaledTanh($0) }
    try one("sigmoid", try view.sigmoid) { try Specification_ActivationSigmoid($0) }
    try one("sigmoidHard", try view.sigmoidHard) { try Specification_ActivationSigmoidHard($0) }
    try one("ELU", try view.elu) { try Specification_ActivationELU($0) }
    try one("softsign", try view.softsign) { try Specification_ActivationSoftsign($0) }
    try one("softplus", try view.softplus) { try Specification_ActivationSoftplus($0) }
    try one("parametricSoftplus", try view.parametricSoftplus) { try Specification_ActivationParametricSoftplus($0) }
    switch try view.nonlinearityType {
    case .linear?: oneOf("NonlinearityType", "linear")
    case .reLU?: oneOf("NonlinearityType", "ReLU")
    case .leakyReLU?: oneOf("NonlinearityType", "leakyReLU")
    case .thresholdedReLU?: oneOf("NonlinearityType", "thresholdedReLU")
    case .pReLU?: oneOf("NonlinearityType", "PReLU")
    case .tanh?: oneOf("NonlinearityType", "tanh")
    case .scaledTanh?: oneOf("NonlinearityType", "scaledTanh")
    case .sigmoid?: oneOf("NonlinearityType", "sigmoid")
    case .sigmoidHard?: oneOf("NonlinearityType", "sigmoidHard")
    case .elu?: oneOf("NonlinearityType", "ELU")
    case .softsign?: oneOf("NonlinearityType", "softsign")
    case .softplus?: oneOf("NonlinearityType", "softplus")
    case .parametricSoftplus?: oneOf("NonlinearityType", "parametricSoftplus")
    case nil: break
    }
  }
  func Specification_Tensor(_ view: Specification.Tensor) throws {
    scalar("rank", try view.rank)
    list("dimValue", try view.dimValue)
  }
  func Specification_NeuralNetworkLayer(_ view: Specification.NeuralNetworkLayer) throws {
    scalar("name", try view.name)
    list("input", try view.input)
    list("output", try view.output)
    try each("inputTensor", try view.inputTensor) { try Specification_Tensor($0) }
    try each("outputTensor", try view.outputTensor) { try Specification_Tensor($0) }
    scalar("isUpdatable", try view.isUpdatable)
    try one("convolution", try view.convolution) { try Specification_ConvolutionLayerParams($0) }
    try one("pooling", try view.pooling) { try Specification_PoolingLayerParams($0) }
    try one("activation", try view.activation) { try Specification_ActivationParams($0) }
    try one("innerProduct", try view.innerProduct) { try Specification_InnerProductLayerParams($0) }
    try one("embedding", try view.embedding) { try Specification_EmbeddingLayerParams($0) }
    try one("batchnorm", try view.batchnorm) { try Specification_BatchnormLayerParams($0) }
    try one("mvn", try view.mvn) { try Specification_MeanVarianceNormalizeLayerParams($0) }
    try one("l2normalize", try view.l2normalize) { try Specification_L2NormalizeLayerParams($0) }
    try one("softmax", try view.softmax) { try Specification_SoftmaxLayerParams($0) }
    try one("lrn", try view.lrn) { try Specification_LRNLayerParams($0) }
    try one("crop", try view.crop) { try Specification_CropLayerParams($0) }
    try one("padding", try view.padding) { try Specification_PaddingLayerParams($0) }
    try one("upsample", try view.upsample) { try Specification_UpsampleLayerParams($0) }
    try one("resizeBilinear", try view.resizeBilinear) { try Specification_ResizeBilinearLayerParams($0) }
    try one("cropResize", try view.cropResize) { try Specification_CropResizeLayerParams($0) }
    try one("unary", try view.unary) { try Specification_UnaryFunctionLayerParams($0) }
    try one("add", try view.add) { try Specification_AddLayerParams($0) }
    try one("multiply", try view.multiply) { try Specification_MultiplyLayerParams($0) }
    try one("average", try view.average) { try Specification_AverageLayerParams($0) }
    try one("scale", try view.scale) { try Specification_ScaleLayerParams($0) }
    try one("bias", try view.bias) { try Specification_BiasLayerParams($0) }
    try one("max", try view.max) { try Specification_MaxLayerParams($0) }
    try one("min", try view.min) { try Specification_MinLayerParams($0) }
    try one("dot", try view.dot) { try Specification_DotProductLayerParams($0) }
    try one("reduce", try view.reduce) { try Specification_ReduceLayerParams($0) }
    try one("loadConstant", try view.loadConstant) { try Specification_LoadConstantLayerParams($0) }
    try one("reshape", try view.reshape) { try Specification_ReshapeLayerParams($0) }
    try one("flatten", try view.flatten) { try Specification_FlattenLayerParams($0) }
    try one("permute", try view.permute) { try Specification_PermuteLayerParams($0) }
    try one("concat", try view.concat) { try Specification_ConcatLayerParams($0) }
    try one("split", try view.split) { try Specification_SplitLayerParams($0) }
    try one("sequenceRepeat", try view.sequenceRepeat) { try Specification_SequenceRepeatLayerParams($0) }
    try one("reorganizeData", try view.reorganizeData) { try Specification_ReorganizeDataLayerParams($0) }
    try one("slice", try view.slice) { try Specification_SliceLayerParams($0) }
    try one("simpleRecurrent", try view.simpleRecurrent) { try Specification_SimpleRecurrentLayerParams($0) }
    try one("gru", try view.gru) { try Specification_GRULayerParams($0) }
    try one("uniDirectionalLSTM", try view.uniDirectionalLSTM) { try Specification_UniDirectionalLSTMLayerParams($0) }
    try one("biDirectionalLSTM", try view.biDirectionalLSTM) { try Specification_BiDirectionalLSTMLayerParams($0) }
    try one("custom", try view.custom) { try Specification_CustomLayerParams($0) }
    try one("copy", try view.copy) { try Specification_CopyLayerParams($0) }
    try one("branch", try view.branch) { try Specification_BranchLayerParams($0) }
    try one("loop", try view.loop) { try Specification_LoopLayerParams($0) }
    try one("loopBreak", try view.loopBreak) { try Specification_LoopBreakLayerParams($0) }
    try one("loopContinue", try view.loopContinue) { try Specification_LoopContinueLayerParams($0) }
    try one("rangeStatic", try view.rangeStatic) { try Specification_RangeStaticLayerParams($0) }
    try one("rangeDynamic", try view.rangeDynamic) { try Specification_RangeDynamicLayerParams($0) }
    try one("clip", try view.clip) { try Specification_ClipLayerParams($0) }
    try one("ceil", try view.ceil) { try Specification_CeilLayerParams($0) }
    try one("floor", try view.floor) { try Specification_FloorLayerParams($0) }
    try one("sign", try view.sign) { try Specification_SignLayerParams($0) }
    try one("round", try view.round) { try Specification_RoundLayerParams($0) }
    try one("exp2", try view.exp2) { try Specification_Exp2LayerParams($0) }
    try one("sin", try view.sin) { try Specification_SinLayerParams($0) }
    try one("cos", try view.cos) { try Specification_CosLayerParams($0) }
    try one("tan", try view.tan) { try Specification_TanLayerParams($0) }
    try one("asin", try view.asin) { try Specification_AsinLayerParams($0) }
    try one("acos", try view.acos) { try Specification_AcosLayerParams($0) }
    try one("atan", try view.atan) { try Specification_AtanLayerParams($0) }
    try one("sinh", try view.sinh) { try Specification_SinhLayerParams($0) }
    try one("cosh", try view.cosh) { try Specification_CoshLayerParams($0) }
    try one("tanh", try view.tanh) { try Specification_TanhLayerParams($0) }
    try one("asinh", try view.asinh) { try Specification_AsinhLayerParams($0) }
    try one("acosh", try view.acosh) { try Specification_AcoshLayerParams($0) }
    try one("atanh", try view.atanh) { try Specification_AtanhLayerParams($0) }
    try one("erf", try view.erf) { try Specification_ErfLayerParams($0) }
    try one("gelu", try view.gelu) { try Specification_GeluLayerParams($0) }
    try one("equal", try view.equal) { try Specification_EqualLayerParams($0) }
    try one("notEqual", try view.notEqual) { try Specification_NotEqualLayerParams($0) }
    try one("lessThan", try view.lessThan) { try Specification_LessThanLayerParams($0) }
    try one("lessEqual", try view.lessEqual) { try Specification_LessEqualLayerParams($0) }
    try one("greaterThan", try view.greaterThan) { try Specification_GreaterThanLayerParams($0) }
    try one("greaterEqual", try view.greaterEqual) { try Specification_GreaterEqualLayerParams($0) }
    try one("logicalOr", try view.logicalOr) { try Specification_LogicalOrLayerParams($0) }
    try one("logicalXor", try view.logicalXor) { try Specification_LogicalXorLayerParams($0) }
    try one("logicalNot", try view.logicalNot) { try Specification_LogicalNotLayerParams($0) }
    try one("logicalAnd", try view.logicalAnd) { try Specification_LogicalAndLayerParams($0) }
    try one("modBroadcastable", try view.modBroadcastable) { try Specification_ModBroadcastableLayerParams($0) }
    try one("minBroadcastable", try view.minBroadcastable) { try Specification_MinBroadcastableLayerParams($0) }
    try one("maxBroadcastable", try view.maxBroadcastable) { try Specification_MaxBroadcastableLayerParams($0) }
    try one("addBroadcastable", try view.addBroadcastable) { try Specification_AddBroadcastableLayerParams($0) }
    try one("powBroadcastable", try view.powBroadcastable) { try Specification_PowBroadcastableLayerParams($0) }
    try one("divideBroadcastable", try view.divideBroadcastable) { try Specification_DivideBroadcastableLayerParams($0) }
    try one("floorDivBroadcastable", try view.floorDivBroadcastable) { try Specification_FloorDivBroadcastableLayerParams($0) }
    try one("multiplyBroadcastable", try view.multiplyBroadcastable) { try Specification_MultiplyBroadcastableLayerParams($0) }
    try one("subtractBroadcastable", try view.subtractBroadcastable) { try Specification_SubtractBroadcastableLayerParams($0) }
    try one("tile", try view.tile) { try Specification_TileLayerParams($0) }
    try one("stack", try view.stack) { try Specification_StackLayerParams($0) }
    try one("gather", try view.gather) { try Specification_GatherLayerParams($0) }
    try one("scatter", try view.scatter) { try Specification_ScatterLayerParams($0) }
    try one("gatherND", try view.gatherND) { try Specification_GatherNDLayerParams($0) }
    try one("scatterND", try view.scatterND) { try Specification_ScatterNDLayerParams($0) }
    try one("softmaxND", try view.softmaxND) { try Specification_SoftmaxNDLayerParams($0) }
    try one("gatherAlongAxis", try view.gatherAlongAxis) { try Specification_GatherAlongAxisLayerParams($0) }
    try one("scatterAlongAxis", try view.scatterAlongAxis) { try Specification_ScatterAlongAxisLayerParams($0) }
    try one("reverse", try view.reverse) { try Specification_ReverseLayerParams($0) }
    try one("reverseSeq", try view.reverseSeq) { try Specification_ReverseSeqLayerParams($0) }
    try one("splitND", try view.splitND) { try Specification_SplitNDLayerParams($0) }
    try one("concatND", try view.concatND) { try Specification_ConcatNDLayerParams($0) }
    try one("transpose", try view.transpose) { try Specification_TransposeLayerParams($0) }
    try one("sliceStatic", try view.sliceStatic) { try Specification_SliceStaticLayerParams($0) }
    try one("sliceDynamic", try view.sliceDynamic) { try Specification_SliceDynamicLayerParams($0) }
    try one("slidingWindows", try view.slidingWindows) { try Specification_SlidingWindowsLayerParams($0) }
    try one("topK", try view.topK) { try Specification_TopKLayerParams($0) }
    try one("argMin", try view.argMin) { try Specification_ArgMinLayerParams($0) }
    try one("argMax", try view.argMax) { try Specification_ArgMaxLayerParams($0) }
    try one("embeddingND", try view.embeddingND) { try Specification_EmbeddingNDLayerParams($0) }
    try one("batchedMatmul", try view.batchedMatmul) { try Specification_BatchedMatMulLayerParams($0) }
    try one("getShape", try view.getShape) { try Specification_GetShapeLayerParams($0) }
    try one("loadConstantND", try view.loadConstantND) { try Specification_LoadConstantNDLayerParams($0) }
    try one("fillLike", try view.fillLike) { try Specification_FillLikeLayerParams($0) }
    try one("fillStatic", try view.fillStatic) { try Specification_FillStaticLayerParams($0) }
    try one("fillDynamic", try view.fillDynamic) { try Specification_FillDynamicLayerParams($0) }
    try one("broadcastToLike", try view.broadcastToLike) { try Specification_BroadcastToLikeLayerParams($0) }
    try one("broadcastToStatic", try view.broadcastToStatic) { try Specification_BroadcastToStaticLayerParams($0) }
    try one("broadcastToDynamic", try view.broadcastToDynamic) { try Specification_BroadcastToDynamicLayerParams($0) }
    try one("squeeze", try view.squeeze) { try Specification_SqueezeLayerParams($0) }
    try one("expandDims", try view.expandDims) { try Specification_ExpandDimsLayerParams($0) }
    try one("flattenTo2D", try view.flattenTo2D) { try Specification_FlattenTo2DLayerParams($0) }
    try one("reshapeLike", try view.reshapeLike) { try Specification_ReshapeLikeLayerParams($0) }
    try one("reshapeStatic", try view.reshapeStatic) { try Specification_ReshapeStaticLayerParams($0) }
    try one("reshapeDynamic", try view.reshapeDynamic) { try Specification_ReshapeDynamicLayerParams($0) }
    try one("rankPreservingReshape", try view.rankPreservingReshape) { try Specification_RankPreservingReshapeLayerParams($0) }
    try one("constantPad", try view.constantPad) { try Specification_ConstantPaddingLayerParams($0) }
    try one("randomNormalLike", try view.randomNormalLike) { try Specification_RandomNormalLikeLayerParams($0) }
    try one("randomNormalStatic", try view.randomNormalStatic) { try Specification_RandomNormalStaticLayerParams($0) }
    try one("randomNormalDynamic", try view.randomNormalDynamic) { try Specification_RandomNormalDynamicLayerParams($0) }
    try one("randomUniformLike", try view.randomUniformLike) { try Specification_RandomUniformLikeLayerParams($0) }
    try one("randomUniformStatic", try view.randomUniformStatic) { try Specification_RandomUniformStaticLayerParams($0) }
    try one("randomUniformDynamic", try view.randomUniformDynamic) { try Specification_RandomUniformDynamicLayerParams($0) }
    try one("randomBernoulliLike", try view.randomBernoulliLike) { try Specification_RandomBernoulliLikeLayerParams($0) }
    try one("randomBernoulliStatic", try view.randomBernoulliStatic) { try Specification_RandomBernoulliStaticLayerParams($0) }
    try one("randomBernoulliDynamic", try view.randomBernoulliDynamic) { try Specification_RandomBernoulliDynamicLayerParams($0) }
    try one("categoricalDistribution", try view.categoricalDistribution) { try Specification_CategoricalDistributionLayerParams($0) }
    try one("reduceL1", try view.reduceL1) { try Specification_ReduceL1LayerParams($0) }
    try one("reduceL2", try view.reduceL2) { try Specification_ReduceL2LayerParams($0) }
    try one("reduceMax", try view.reduceMax) { try Specification_ReduceMaxLayerParams($0) }
    try one("reduceMin", try view.reduceMin) { try Specification_ReduceMinLayerParams($0) }
    try one("reduceSum", try view.reduceSum) { try Specification_ReduceSumLayerParams($0) }
    try one("reduceProd", try view.reduceProd) { try Specification_ReduceProdLayerParams($0) }
    try one("reduceMean", try view.reduceMean) { try Specification_ReduceMeanLayerParams($0) }
    try one("reduceLogSum", try view.reduceLogSum) { try Specification_ReduceLogSumLayerParams($0) }
    try one("reduceSumSquare", try view.reduceSumSquare) { try Specification_ReduceSumSquareLayerParams($0) }
    try one("reduceLogSumExp", try view.reduceLogSumExp) { try Specification_ReduceLogSumExpLayerParams($0) }
    try one("whereNonZero", try view.whereNonZero) { try Specification_WhereNonZeroLayerParams($0) }
    try one("matrixBandPart", try view.matrixBandPart) { try Specification_MatrixBandPartLayerParams($0) }
    try one("lowerTriangular", try view.lowerTriangular) { try Specification_LowerTriangularLayerParams($0) }
    try one("upperTriangular", try view.upperTriangular) { try Specification_UpperTriangularLayerParams($0) }
    try one("whereBroadcastable", try view.whereBroadcastable) { try Specification_WhereBroadcastableLayerParams($0) }
    try one("layerNormalization", try view.layerNormalization) { try Specification_LayerNormalizationLayerParams($0) }
    try one("NonMaximumSuppression", try view.nonMaximumSuppression) { try Specification_NonMaximumSuppressionLayerParams($0) }
    try one("oneHot", try view.oneHot) { try Specification_OneHotLayerParams($0) }
    try one("cumSum", try view.cumSum) { try Specification_CumSumLayerParams($0) }
    try one("clampedReLU", try view.clampedReLU) { try Specification_ClampedReLULayerParams($0) }
    try one("argSort", try view.argSort) { try Specification_ArgSortLayerParams($0) }
    try one("pooling3d", try view.pooling3d) { try Specification_Pooling3DLayerParams($0) }
    try one("globalPooling3d", try view.globalPooling3d) { try Specification_GlobalPooling3DLayerParams($0) }
    try one("sliceBySize", try view.sliceBySize) { try Specification_SliceBySizeLayerParams($0) }
    try one("convolution3d", try view.convolution3d) { try Specification_Convolution3DLayerParams($0) }
    switch try view.layer {
    case .convolution?: oneOf("layer", "convolution")
    case .pooling?: oneOf("layer", "pooling")
    case .activation?: oneOf("layer", "activation")
    case .innerProduct?: oneOf("layer", "innerProduct")
    case .embedding?: oneOf("layer", "embedding")
    case .batchnorm?: oneOf("layer", "batchnorm")
    case .mvn?: oneOf("layer", "mvn")
    case .l2normalize?: oneOf("layer", "l2normalize")
    case .softmax?: oneOf("layer", "softmax")
    case .lrn?: oneOf("layer", "lrn")
    case .crop?: oneOf("layer", "crop")
    case .padding?: oneOf("layer", "padding")
    case .upsample?: oneOf("layer", "upsample")
    case .resizeBilinear?: oneOf("layer", "resizeBilinear")
    case .cropResize?: oneOf("layer", "cropResize")
    case .unary?: oneOf("layer", "unary")
    case .add?: oneOf("layer", "add")
    case .multiply?: oneOf("layer", "multiply")
    case .average?: oneOf("layer", "average")
    case .scale?: oneOf("layer", "scale")
    case .bias?: oneOf("layer", "bias")
    case .max?: oneOf("layer", "max")
    case .min?: oneOf("layer", "min")
    case .dot?: oneOf("layer", "dot")
    case .reduce?: oneOf("layer", "reduce")
    case .loadConstant?: oneOf("layer", "loadConstant")
    case .reshape?: oneOf("layer", "reshape")
    case .flatten?: oneOf("layer", "flatten")
    case .permute?: oneOf("layer", "permute")
    case .concat?: oneOf("layer", "concat")
    case .split?: oneOf("layer", "split")
    case .sequenceRepeat?: oneOf("layer", "sequenceRepeat")
    case .reorganizeData?: oneOf("layer", "reorganizeData")
    case .slice?: oneOf("layer", "slice")
    case .simpleRecurrent?: oneOf("layer", "simpleRecurrent")
    case .gru?: oneOf("layer", "gru")
    case .uniDirectionalLSTM?: oneOf("layer", "uniDirectionalLSTM")
    case .biDirectionalLSTM?: oneOf("layer", "biDirectionalLSTM")
    case .custom?: oneOf("layer", "custom")
    case .copy?: oneOf("layer", "copy")
    case .branch?: oneOf("layer", "branch")
    case .loop?: oneOf("layer", "loop")
    case .loopBreak?: oneOf("layer", "loopBreak")
    case .loopContinue?: oneOf("layer", "loopContinue")
    case .rangeStatic?: oneOf("layer", "rangeStatic")
    case .rangeDynamic?: oneOf("layer", "rangeDynamic")
    case .clip?: oneOf("layer", "clip")
    case .ceil?: oneOf("layer", "ceil")
    case .floor?: oneOf("layer", "floor")
    case .sign?: oneOf("layer", "sign")
    case .round?: oneOf("layer", "round")
    case .exp2?: oneOf("layer", "exp2")
    case .sin?: oneOf("layer", "sin")
    case .cos?: oneOf("layer", "cos")
    case .tan?: oneOf("layer", "tan")
    case .asin?: oneOf("layer", "asin")
    case .acos?: oneOf("layer", "acos")
    case .atan?: oneOf("layer", "atan")
    case .sinh?: oneOf("layer", "sinh")
    case .cosh?: oneOf("layer", "cosh")
    case .tanh?: oneOf("layer", "tanh")
    case .asinh?: oneOf("layer", "asinh")
    case .acosh?: oneOf("layer", "acosh")
    case .atanh?: oneOf("layer", "atanh")
    case .erf?: oneOf("layer", "erf")
    case .gelu?: oneOf("layer", "gelu")
    case .equal?: oneOf("layer", "equal")
    case .notEqual?: oneOf("layer", "notEqual")
    case .lessThan?: oneOf("layer", "lessThan")
    case .lessEqual?: oneOf("layer", "lessEqual")
    case .greaterThan?: oneOf("layer", "greaterThan")
    case .greaterEqual?: oneOf("layer", "greaterEqual")
    case .logicalOr?: oneOf("layer", "logicalOr")
    case .logicalXor?: oneOf("layer", "logicalXor")
    case .logicalNot?: oneOf("layer", "logicalNot")
    case .logicalAnd?: oneOf("layer", "logicalAnd")
    case .modBroadcastable?: oneOf("layer", "modBroadcastable")
    case .minBroadcastable?: oneOf("layer", "minBroadcastable")
    case .maxBroadcastable?: oneOf("layer", "maxBroadcastable")
    case .addBroadcastable?: oneOf("layer", "addBroadcastable")
    case .powBroadcastable?: oneOf("layer", "powBroadcastable")
    case .divideBroadcastable?: oneOf("layer", "divideBroadcastable")
    case .floorDivBroadcastable?: oneOf("layer", "floorDivBroadcastable")
    case .multiplyBroadcastable?: oneOf("layer", "multiplyBroadcastable")
    case .subtractBroadcastable?: oneOf("layer", "subtractBroadcastable")
    case .tile?: oneOf("layer", "tile")
    case .stack?: oneOf("layer", "stack")
    case .gather?: oneOf("layer", "gather")
    case .scatter?: oneOf("layer", "scatter")
    case .gatherND?: oneOf("layer", "gatherND")
    case .scatterND?: oneOf("layer", "scatterND")
    case .softmaxND?: oneOf("layer", "softmaxND")
    case .gatherAlongAxis?: oneOf("layer", "gatherAlongAxis")
    case .scatterAlongAxis?: oneOf("layer", "scatterAlongAxis")
    case .reverse?: oneOf("layer", "reverse")
    case .reverseSeq?: oneOf("layer", "reverseSeq")
    case .splitND?: oneOf("layer", "splitND")
    case .concatND?: oneOf("layer", "concatND")
    case .transpose?: oneOf("layer", "transpose")
    case .sliceStatic?: oneOf("layer", "sliceStatic")
    case .sliceDynamic?: oneOf("layer", "sliceDynamic")
    case .slidingWindows?: oneOf("layer", "slidingWindows")
    case .topK?: oneOf("layer", "topK")
    case .argMin?: oneOf("layer", "argMin")
    case .argMax?: oneOf("layer", "argMax")
    case .embeddingND?: oneOf("layer", "embeddingND")
    case .batchedMatmul?: oneOf("layer", "batchedMatmul")
    case .getShape?: oneOf("layer", "getShape")
    case .loadConstantND?: oneOf("layer", "loadConstantND")
    case .fillLike?: oneOf("layer", "fillLike")
    case .fillStatic?: oneOf("layer", "fillStatic")
    case .fillDynamic?: oneOf("layer", "fillDynamic")
    case .broadcastToLike?: oneOf("layer", "broadcastToLike")
    case .broadcastToStatic?: oneOf("layer", "broadcastToStatic")
    case .broadcastToDynamic?: oneOf("layer", "broadcastToDynamic")
    case .squeeze?: oneOf("layer", "squeeze")
    case .expandDims?: oneOf("layer", "expandDims")
    case .flattenTo2D?: oneOf("layer", "flattenTo2D")
    case .reshapeLike?: oneOf("layer", "reshapeLike")
    case .reshapeStatic?: oneOf("layer", "reshapeStatic")
    case .reshapeDynamic?: oneOf("layer", "reshapeDynamic")
    case .rankPreservingReshape?: oneOf("layer", "rankPreservingReshape")
    case .constantPad?: oneOf("layer", "constantPad")
    case .randomNormalLike?: oneOf("layer", "randomNormalLike")
    case .randomNormalStatic?: oneOf("layer", "randomNormalStatic")
    case .randomNormalDynamic?: oneOf("layer", "randomNormalDynamic")
    case .randomUniformLike?: oneOf("layer", "randomUniformLike")
    case .randomUniformStatic?: oneOf("layer", "randomUniformStatic")
    case .randomUniformDynamic?: oneOf("layer", "randomUniformDynamic")
    case .randomBernoulliLike?: oneOf("layer", "randomBernoulliLike")
    case .randomBernoulliStatic?: oneOf("layer", "randomBernoulliStatic")
    case .randomBernoulliDynamic?: oneOf("layer", "randomBernoulliDynamic")
    case .categoricalDistribution?: oneOf("layer", "categoricalDistribution")
    case .reduceL1?: oneOf("layer", "reduceL1")
    case .reduceL2?: oneOf("layer", "reduceL2")
    case .reduceMax?: oneOf("layer", "reduceMax")
    case .reduceMin?: oneOf("layer", "reduceMin")
    case .reduceSum?: oneOf("layer", "reduceSum")
    case .reduceProd?: oneOf("layer", "reduceProd")
    case .reduceMean?: oneOf("layer", "reduceMean")
    case .reduceLogSum?: oneOf("layer", "reduceLogSum")
    case .reduceSumSquare?: oneOf("layer", "reduceSumSquare")
    case .reduceLogSumExp?: oneOf("layer", "reduceLogSumExp")
    case .whereNonZero?: oneOf("layer", "whereNonZero")
    case .matrixBandPart?: oneOf("layer", "matrixBandPart")
    case .lowerTriangular?: oneOf("layer", "lowerTriangular")
    case .upperTriangular?: oneOf("layer", "upperTriangular")
    case .whereBroadcastable?: oneOf("layer", "whereBroadcastable")
    case .layerNormalization?: oneOf("layer", "layerNormalization")
    case .nonMaximumSuppression?: oneOf("layer", "NonMaximumSuppression")
    case .oneHot?: oneOf("layer", "oneHot")
    case .cumSum?: oneOf("layer", "cumSum")
    case .clampedReLU?: oneOf("layer", "clampedReLU")
    case .argSort?: oneOf("layer", "argSort")
    case .pooling3d?: oneOf("layer", "pooling3d")
    case .globalPooling3d?: oneOf("layer", "globalPooling3d")
    case .sliceBySize?: oneOf("layer", "sliceBySize")
    case .convolution3d?: oneOf("layer", "convolution3d")
    case nil: break
    }
  }
  func Specification_BranchLayerParams(_ view: Specification.BranchLayerParams) throws {
    try one("ifBranch", try view.ifBranch) { try Specification_NeuralNetwork($0) }
    try one("elseBranch", try view.elseBranch) { try Specification_NeuralNetwork($0) }
  }
  func Specification_LoopLayerParams(_ view: Specification.LoopLayerParams) throws {
    scalar("maxLoopIterations", try view.maxLoopIterations)
    scalar("conditionVar", try view.conditionVar)
    try one("conditionNetwork", try view.conditionNetwork) { try Specification_NeuralNetwork($0) }
    try one("bodyNetwork", try view.bodyNetwork) { try Specification_NeuralNetwork($0) }
  }
  func Specification_LoopBreakLayerParams(_ view: Specification.LoopBreakLayerParams) throws {
  }
  func Specification_LoopContinueLayerParams(_ view: Specification.LoopContinueLayerParams) throws {
  }
  func Specification_CopyLayerParams(_ view: Specification.CopyLayerParams) throws {
  }
  func Specification_GreaterThanLayerParams(_ view: Specification.GreaterThanLayerParams) throws {
    scalar("alpha", try view.alpha)
  }
  func Specification_GreaterEqualLayerParams(_ view: Specification.GreaterEqualLayerParams) throws {
    scalar("alpha", try view.alpha)
  }
  func Specification_LessThanLayerParams(_ view: Specification.LessThanLayerParams) throws {
    scalar("alpha", try view.alpha)
  }
  func Specification_LessEqualLayerParams(_ view: Specification.LessEqualLayerParams) throws {
    scalar("alpha", try view.alpha)
  }
  func Specification_EqualLayerParams(_ view: Specification.EqualLayerParams) throws {
    scalar("alpha", try view.alpha)
  }
  func Specification_NotEqualLayerParams(_ view: Specification.NotEqualLayerParams) throws {
    scalar("alpha", try view.alpha)
  }
  func Specification_LogicalAndLayerParams(_ view: Specification.LogicalAndLayerParams) throws {
  }
  func Specification_LogicalOrLayerParams(_ view: Specification.LogicalOrLayerParams) throws {
  }
  func Specification_LogicalXorLayerParams(_ view: Specification.LogicalXorLayerParams) throws {
  }
  func Specification_LogicalNotLayerParams(_ view: Specification.LogicalNotLayerParams) throws {
  }
  func Specification_BorderAmounts(_ view: Specification.BorderAmounts) throws {
    try each("borderAmounts", try view.borderAmounts) { try Specification_BorderAmounts_EdgeSizes($0) }
  }
  func Specification_BorderAmounts_EdgeSizes(_ view: Specification.BorderAmounts.EdgeSizes) throws {
    scalar("startEdgeSize", try view.startEdgeSize)
    scalar("endEdgeSize", try view.endEdgeSize)
  }
  func Specification_ValidPadding(_ view: Specification.ValidPadding) throws {
    try one("paddingAmounts", try view.paddingAmounts) { try Specification_BorderAmounts($0) }
  }
  func Specification_SamePadding(_ view: Specification.SamePadding) throws {
    scalar("asymmetryMode", try view.asymmetryMode.rawValue)
  }
  func Specification_SamplingMode(_ view: Specification.SamplingMode) throws {
    scalar("samplingMethod", try view.samplingMethod.rawValue)
  }
  func Specification_BoxCoordinatesMode(_ view: Specification.BoxCoordinatesMode) throws {
    scalar("boxMode", try view.boxMode.rawValue)
  }
  func Specification_WeightParams(_ view: Specification.WeightParams) throws {
    list("floatValue", try view.floatValue, try view.floatValueBytes)
    scalar("float16Value", try view.float16Value)
    scalar("rawValue", try view.rawValue)
    scalar("int8RawValue", try view.int8RawValue)
    try one("quantization", try view.quantization) { try Specification_QuantizationParams($0) }
    scalar("isUpdatable", try view.isUpdatable)
  }
  func Specification_QuantizationParams(_ view: Specification.QuantizationParams) throws {
    scalar("numberOfBits", try view.numberOfBits)
    try one("linearQuantization", try view.linearQuantization) { try Specification_LinearQuantizationParams($0) }
    try one("lookupTableQuantization", try view.lookupTableQuantization) { try Specification_LookUpTableQuantizationParams($0) }
    switch try view.quantizationType {
    case .linearQuantization?: oneOf("QuantizationType", "linearQuantization")
    case .lookupTableQuantization?: oneOf("QuantizationType", "lookupTableQuantization")
    case nil: break
    }
  }
  func Specification_LinearQuantizationParams(_ view: Specification.LinearQuantizationParams) throws {
    list("scale", try view.scale, try view.scaleBytes)
    list("bias", try view.bias, try view.biasBytes)
  }
  func Specification_LookUpTableQuantizationParams(_ view: Specification.LookUpTableQuantizationParams) throws {
    list("floatValue", try view.floatValue, try view.floatValueBytes)
  }
  func Specification_ConvolutionLayerParams(_ view: Specification.ConvolutionLayerParams) throws {
    scalar("outputChannels", try view.outputChannels)
    scalar("kernelChannels", try view.kernelChannels)
    scalar("nGroups", try view.nGroups)
    list("kernelSize", try view.kernelSize)
    list("stride", try view.stride)
    list("dilationFactor", try view.dilationFactor)
    try one("valid", try view.valid) { try Specification_ValidPadding($0) }
    try one("same", try view.same) { try Specification_SamePadding($0) }
    scalar("isDeconvolution", try view.isDeconvolution)
    scalar("hasBias", try view.hasBias)
    try one("weights", try view.weights) { try Specification_WeightParams($0) }
    try one("bias", try view.bias) { try Specification_WeightParams($0) }
    list("outputShape", try view.outputShape)
    switch try view.convolutionPaddingType {
    case .valid?: oneOf("ConvolutionPaddingType", "valid")
    case .same?: oneOf("ConvolutionPaddingType", "same")
    case nil: break
    }
  }
  func Specification_Convolution3DLayerParams(_ view: Specification.Convolution3DLayerParams) throws {
    scalar("outputChannels", try view.outputChannels)
    scalar("inputChannels", try view.inputChannels)
    scalar("nGroups", try view.nGroups)
    scalar("kernelDepth", try view.kernelDepth)
    scalar("kernelHeight", try view.kernelHeight)
    scalar("kernelWidth", try view.kernelWidth)
    scalar("strideDepth", try view.strideDepth)
    scalar("strideHeight", try view.strideHeight)
    scalar("strideWidth", try view.strideWidth)
    scalar("dilationDepth", try view.dilationDepth)
    scalar("dilationHeight", try view.dilationHeight)
    scalar("dilationWidth", try view.dilationWidth)
    scalar("hasBias", try view.hasBias)
    try one("weights", try view.weights) { try Specification_WeightParams($0) }
    try one("bias", try view.bias) { try Specification_WeightParams($0) }
    scalar("paddingType", try view.paddingType.rawValue)
    scalar("customPaddingFront", try view.customPaddingFront)
    scalar("customPaddingBack", try view.customPaddingBack)
    scalar("customPaddingTop", try view.customPaddingTop)
    scalar("customPaddingBottom", try view.customPaddingBottom)
    scalar("customPaddingLeft", try view.customPaddingLeft)
    scalar("customPaddingRight", try view.customPaddingRight)
    scalar("isDeconvolution", try view.isDeconvolution)
    list("outputShape", try view.outputShape)
  }
  func Specification_InnerProductLayerParams(_ view: Specification.InnerProductLayerParams) throws {
    scalar("inputChannels", try view.inputChannels)
    scalar("outputChannels", try view.outputChannels)
    scalar("hasBias", try view.hasBias)
    try one("weights", try view.weights) { try Specification_WeightParams($0) }
    try one("bias", try view.bias) { try Specification_WeightParams($0) }
    scalar("int8DynamicQuantize", try view.int8DynamicQuantize)
  }
  func Specification_EmbeddingLayerParams(_ view: Specification.EmbeddingLayerParams) throws {
    scalar("inputDim", try view.inputDim)
    scalar("outputChannels", try view.outputChannels)
    scalar("hasBias", try view.hasBias)
    try one("weights", try view.weights) { try Specification_WeightParams($0) }
    try one("bias", try view.bias) { try Specification_WeightParams($0) }
  }
  func Specification_EmbeddingNDLayerParams(_ view: Specification.EmbeddingNDLayerParams) throws {
    scalar("vocabSize", try view.vocabSize)
    scalar("embeddingSize", try view.embeddingSize)
    scalar("hasBias", try view.hasBias)
    try one("weights", try view.weights) { try Specification_WeightParams($0) }
    try one("bias", try view.bias) { try Specification_WeightParams($0) }
  }
  func Specification_BatchnormLayerParams(_ view: Specification.BatchnormLayerParams) throws {
    scalar("channels", try view.channels)
    scalar("computeMeanVar", try view.computeMeanVar)
    scalar("instanceNormalization", try view.instanceNormalization)
    scalar("epsilon", try view.epsilon)
    try one("gamma", try view.gamma) { try Specification_WeightParams($0) }
    try one("beta", try view.beta) { try Specification_WeightParams($0) }
    try one("mean", try view.mean) { try Specification_WeightParams($0) }
    try one("variance", try view.variance) { try Specification_WeightParams($0) }
  }
  func Specification_PoolingLayerParams(_ view: Specification.PoolingLayerParams) throws {
    scalar("type", try view.type.rawValue)
    list("kernelSize", try view.kernelSize)
    list("stride", try view.stride)
    try one("valid", try view.valid) { try Specification_ValidPadding($0) }
    try one("same", try view.same) { try Specification_SamePadding($0) }
    try one("includeLastPixel", try view.includeLastPixel) { try Specification_PoolingLayerParams_ValidCompletePadding($0) }
    scalar("avgPoolExcludePadding", try view.avgPoolExcludePadding)
    scalar("globalPooling", try view.globalPooling)
    switch try view.poolingPaddingType {
    case .valid?: oneOf("PoolingPaddingType", "valid")
    case .same?: oneOf("PoolingPaddingType", "same")
    case .includeLastPixel?: oneOf("PoolingPaddingType", "includeLastPixel")
    case nil: break
    }
  }
  func Specification_PoolingLayerParams_ValidCompletePadding(_ view: Specification.PoolingLayerParams.ValidCompletePadding) throws {
    list("paddingAmounts", try view.paddingAmounts)
  }
  func Specification_Pooling3DLayerParams(_ view: Specification.Pooling3DLayerParams) throws {
    scalar("type", try view.type.rawValue)
    scalar("kernelDepth", try view.kernelDepth)
    scalar("kernelHeight", try view.kernelHeight)
    scalar("kernelWidth", try view.kernelWidth)
    scalar("strideDepth", try view.strideDepth)
    scalar("strideHeight", try view.strideHeight)
    scalar("strideWidth", try view.strideWidth)
    scalar("customPaddingFront", try view.customPaddingFront)
    scalar("customPaddingBack", try view.customPaddingBack)
    scalar("customPaddingTop", try view.customPaddingTop)
    scalar("customPaddingBottom", try view.customPaddingBottom)
    scalar("customPaddingLeft", try view.customPaddingLeft)
    scalar("customPaddingRight", try view.customPaddingRight)
    scalar("countExcludePadding", try view.countExcludePadding)
    scalar("paddingType", try view.paddingType.rawValue)
  }
  func Specification_GlobalPooling3DLayerParams(_ view: Specification.GlobalPooling3DLayerParams) throws {
    scalar("type", try view.type.rawValue)
  }
  func Specification_PaddingLayerParams(_ view: Specification.PaddingLayerParams) throws {
    try one("constant", try view.constant) { try Specification_PaddingLayerParams_PaddingConstant($0) }
    try one("reflection", try view.reflection) { try Specification_PaddingLayerParams_PaddingReflection($0) }
    try one("replication", try view.replication) { try Specification_PaddingLayerParams_PaddingReplication($0) }
    try one("paddingAmounts", try view.paddingAmounts) { try Specification_BorderAmounts($0) }
    switch try view.paddingType {
    case .constant?: oneOf("PaddingType", "constant")
    case .reflection?: oneOf("PaddingType", "reflection")
    case .replication?: oneOf("PaddingType", "replication")
    case nil: break
    }
  }
  func Specification_PaddingLayerParams_PaddingConstant(_ view: Specification.PaddingLayerParams.PaddingConstant) throws {
    scalar("value", try view.value)
  }
  func Specification_PaddingLayerParams_PaddingReflection(_ view: Specification.PaddingLayerParams.PaddingReflection) throws {
  }
  func Specification_PaddingLayerParams_PaddingReplication(_ view: Specification.PaddingLayerParams.PaddingReplication) throws {
  }
  func Specification_ConcatLayerParams(_ view: Specification.ConcatLayerParams) throws {
    scalar("sequenceConcat", try view.sequenceConcat)
  }
  func Specification_LRNLayerParams(_ view: Specification.LRNLayerParams) throws {
    scalar("alpha", try view.alpha)
    scalar("beta", try view.beta)
    scalar("localSize", try view.localSize)
    scalar("k", try view.k)
  }
  func Specification_SoftmaxLayerParams(_ view: Specification.SoftmaxLayerParams) throws {
  }
  func Specification_SplitLayerParams(_ view: Specification.SplitLayerParams) throws {
    scalar("nOutputs", try view.nOutputs)
  }
  func Specification_AddLayerParams(_ view: Specification.AddLayerParams) throws {
    scalar("alpha", try view.alpha)
  }
  func Specification_MultiplyLayerParams(_ view: Specification.MultiplyLayerParams) throws {
    scalar("alpha", try view.alpha)
  }
  func Specification_UnaryFunctionLayerParams(_ view: Specification.UnaryFunctionLayerParams) throws {
    scalar("type", try view.type.rawValue)
    scalar("alpha", try view.alpha)
    scalar("epsilon", try view.epsilon)
    scalar("shift", try view.shift)
    scalar("scale", try view.scale)
  }
  func Specification_UpsampleLayerParams(_ view: Specification.UpsampleLayerParams) throws {
    list("scalingFactor", try view.scalingFactor)
    scalar("mode", try view.mode.rawValue)
    scalar("linearUpsampleMode", try view.linearUpsampleMode.rawValue)
    list("fractionalScalingFactor", try view.fractionalScalingFactor, try view.fractionalScalingFactorBytes)
  }
  func Specification_ResizeBilinearLayerParams(_ view: Specification.ResizeBilinearLayerParams) throws {
    list("targetSize", try view.targetSize)
    try one("mode", try view.mode) { try Specification_SamplingMode($0) }
  }
  func Specification_CropResizeLayerParams(_ view: Specification.CropResizeLayerParams) throws {
    list("targetSize", try view.targetSize)
    scalar("normalizedCoordinates", try view.normalizedCoordinates)
    try one("mode", try view.mode) { try Specification_SamplingMode($0) }
    try one("boxIndicesMode", try view.boxIndicesMode) { try Specification_BoxCoordinatesMode($0) }
    scalar("spatialScale", try view.spatialScale)
  }
  func Specification_BiasLayerParams(_ view: Specification.BiasLayerParams) throws {
    list("shape", try view.shape)
    try one("bias", try view.bias) { try Specification_WeightParams($0) }
  }
  func Specification_ScaleLayerParams(_ view: Specification.ScaleLayerParams) throws {
    list("shapeScale", try view.shapeScale)
    try one("scale", try view.scale) { try Specification_WeightParams($0) }
    scalar("hasBias", try view.hasBias)
    list("shapeBias", try view.shapeBias)
    try one("bias", try view.bias) { try Specification_WeightParams($0) }
  }
  func Specification_LoadConstantLayerParams(_ view: Specification.LoadConstantLayerParams) throws {
    list("shape", try view.shape)
    try one("data", try view.data) { try Specification_WeightParams($0) }
  }
  func Specification_L2NormalizeLayerParams(_ view: Specification.L2NormalizeLayerParams) throws {
    scalar("epsilon", try view.epsilon)
  }
  func Specification_FlattenLayerParams(_ view: Specification.FlattenLayerParams) throws {
    scalar("mode", try view.mode.rawValue)
  }
  func Specification_ReshapeLayerParams(_ view: Specification.ReshapeLayerParams) throws {
    list("targetShape", try view.targetShape)
    scalar("mode", try view.mode.rawValue)
  }
  func Specification_PermuteLayerParams(_ view: Specification.PermuteLayerParams) throws {
    list("axis", try view.axis)
  }
  func Specification_ReorganizeDataLayerParams(_ view: Specification.ReorganizeDataLayerParams) throws {
    scalar("mode", try view.mode.rawValue)
    scalar("blockSize", try view.blockSize)
  }
  func Specification_SliceLayerParams(_ view: Specification.SliceLayerParams) throws {
    scalar("startIndex", try view.startIndex)
    scalar("endIndex", try view.endIndex)
    scalar("stride", try view.stride)
    scalar("axis", try view.axis.rawValue)
  }
  func Specification_ReduceLayerParams(_ view: Specification.ReduceLayerParams) throws {
    scalar("mode", try view.mode.rawValue)
    scalar("epsilon", try view.epsilon)
    scalar("axis", try view.axis.rawValue)
  }
  func Specification_CropLayerParams(_ view: Specification.CropLayerParams) throws {
    try one("cropAmounts", try view.cropAmounts) { try Specification_BorderAmounts($0) }
    list("offset", try view.offset)
  }
  func Specification_AverageLayerParams(_ view: Specification.AverageLayerParams) throws {
  }
  func Specification_MaxLayerParams(_ view: Specification.MaxLayerParams) throws {
  }
  func Specification_MinLayerParams(_ view: Specification.MinLayerParams) throws {
  }
  func Specification_DotProductLayerParams(_ view: Specification.DotProductLayerParams) throws {
    scalar("cosineSimilarity", try view.cosineSimilarity)
  }
  func Specification_MeanVarianceNormalizeLayerParams(_ view: Specification.MeanVarianceNormalizeLayerParams) throws {
    scalar("acrossChannels", try view.acrossChannels)
    scalar("normalizeVariance", try view.normalizeVariance)
    scalar("epsilon", try view.epsilon)
  }
  func Specification_SequenceRepeatLayerParams(_ view: Specification.SequenceRepeatLayerParams) throws {
    scalar("nRepetitions", try view.nRepetitions)
  }
  func Specification_SimpleRecurrentLayerParams(_ view: Specification.SimpleRecurrentLayerParams) throws {
    scalar("inputVectorSize", try view.inputVectorSize)
    scalar("outputVectorSize", try view.outputVectorSize)
    try one("activation", try view.activation) { try Specification_ActivationParams($0) }
    scalar("sequenceOutput", try view.sequenceOutput)
    scalar("hasBiasVector", try view.hasBiasVector)
    try one("weightMatrix", try view.weightMatrix) { try Specification_WeightParams($0) }
    try one("recursionMatrix", try view.recursionMatrix) { try Specification_WeightParams($0) }
    try one("biasVector", try view.biasVector) { try Specification_WeightParams($0) }
    scalar("reverseInput", try view.reverseInput)
  }
  func Specification_GRULayerParams(_ view: Specification.GRULayerParams) throws {
    scalar("inputVectorSize", try view.inputVectorSize)
    scalar("outputVectorSize", try view.outputVectorSize)
    try each("activations", try view.activations) { try Specification_ActivationParams($0) }
    scalar("sequenceOutput", try view.sequenceOutput)
    scalar("hasBiasVectors", try view.hasBiasVectors)
    try one("updateGateWeightMatrix", try view.updateGateWeightMatrix) { try Specification_WeightParams($0) }
    try one("resetGateWeightMatrix", try view.resetGateWeightMatrix) { try Specification_WeightParams($0) }
    try one("outputGateWeightMatrix", try view.outputGateWeightMatrix) { try Specification_WeightParams($0) }
    try one("updateGateRecursionMatrix", try view.updateGateRecursionMatrix) { try Specification_WeightParams($0) }
    try one("resetGateRecursionMatrix", try view.resetGateRecursionMatrix) { try Specification_WeightParams($0) }
    try one("outputGateRecursionMatrix", try view.outputGateRecursionMatrix) { try Specification_WeightParams($0) }
    try one("updateGateBiasVector", try view.updateGateBiasVector) { try Specification_WeightParams($0) }
    try one("resetGateBiasVector", try view.resetGateBiasVector) { try Specification_WeightParams($0) }
    try one("outputGateBiasVector", try view.outputGateBiasVector) { try Specification_WeightParams($0) }
    scalar("reverseInput", try view.reverseInput)
  }
  func Specification_LSTMParams(_ view: Specification.LSTMParams) throws {
    scalar("sequenceOutput", try view.sequenceOutput)
    scalar("hasBiasVectors", try view.hasBiasVectors)
    scalar("forgetBias", try view.forgetBias)
    scalar("hasPeepholeVectors", try view.hasPeepholeVectors)
    scalar("coupledInputAndForgetGate", try view.coupledInputAndForgetGate)
    scalar("cellClipThreshold", try view.cellClipThreshold)
  }
  func Specification_LSTMWeightParams(_ view: Specification.LSTMWeightParams) throws {
    try one("inputGateWeightMatrix", try view.inputGateWeightMatrix) { try Specification_WeightParams($0) }
    try one("forgetGateWeightMatrix", try view.forgetGateWeightMatrix) { try Specification_WeightParams($0) }
    try one("blockInputWeightMatrix", try view.blockInputWeightMatrix) { try Specification_WeightParams($0) }
    try one("outputGateWeightMatrix", try view.outputGateWeightMatrix) { try Specification_WeightParams($0) }
    try one("inputGateRecursionMatrix", try view.inputGateRecursionMatrix) { try Specification_WeightParams($0) }
    try one("forgetGateRecursionMatrix", try view.forgetGateRecursionMatrix) { try Specification_WeightParams($0) }
    try one("blockInputRecursionMatrix", try view.blockInputRecursionMatrix) { try Specification_WeightParams($0) }
    try one("outputGateRecursionMatrix", try view.outputGateRecursionMatrix) { try Specification_WeightParams($0) }
    try one("inputGateBiasVector", try view.inputGateBiasVector) { try Specification_WeightParams($0) }
    try one("forgetGateBiasVector", try view.forgetGateBiasVector) { try Specification_WeightParams($0) }
    try one("blockInputBiasVector", try view.blockInputBiasVector) { try Specification_WeightParams($0) }
    try one("outputGateBiasVector", try view.outputGateBiasVector) { try Specification_WeightParams($0) }
    try one("inputGatePeepholeVector", try view.inputGatePeepholeVector) { try Specification_WeightParams($0) }
    try one("forgetGatePeepholeVector", try view.forgetGatePeepholeVector) { try Specification_WeightParams($0) }
    try one("outputGatePeepholeVector", try view.outputGatePeepholeVector) { try Specification_WeightParams($0) }
  }
  func Specification_UniDirectionalLSTMLayerParams(_ view: Specification.UniDirectionalLSTMLayerParams) throws {
    scalar("inputVectorSize", try view.inputVectorSize)
    scalar("outputVectorSize", try view.outputVectorSize)
    try each("activations", try view.activations) { try Specification_ActivationParams($0) }
    try one("params", try view.params) { try Specification_LSTMParams($0) }
    try one("weightParams", try view.weightParams) { try Specification_LSTMWeightParams($0) }
    scalar("reverseInput", try view.reverseInput)
  }
  func Specification_BiDirectionalLSTMLayerParams(_ view: Specification.BiDirectionalLSTMLayerParams) throws {
    scalar("inputVectorSize", try view.inputVectorSize)
    scalar("outputVectorSize", try view.outputVectorSize)
    try each("activationsForwardLSTM", try view.activationsForwardLSTM) { try Specification_ActivationParams($0) }
    try each("activationsBackwardLSTM", try view.activationsBackwardLSTM) { try Specification_ActivationParams($0) }
    try one("params", try view.params) { try Specification_LSTMParams($0) }
    try each("weightParams", try view.weightParams) { try Specification_LSTMWeightParams($0) }
  }
  func Specification_CustomLayerParams(_ view: Specification.CustomLayerParams) throws {
    scalar("className", try view.className)
    try each("weights", try view.weights) { try Specification_WeightParams($0) }
    try map("parameters", try view.parameters, try view.parametersInOrder.count) { try Specification_CustomLayerParams_CustomLayerParamValue($0) }
    scalar("description", try view.description)
  }
  func Specification_CustomLayerParams_CustomLayerParamValue(_ view: Specification.CustomLayerParams.CustomLayerParamValue) throws {
    member("doubleValue", try view.doubleValue)
    member("stringValue", try view.stringValue)
    member("intValue", try view.intValue)
    member("longValue", try view.longValue)
    member("boolValue", try view.boolValue)
    switch try view.value {
    case .doubleValue?: oneOf("value", "doubleValue")
    case .stringValue?: oneOf("value", "stringValue")
    case .intValue?: oneOf("value", "intValue")
    case .longValue?: oneOf("value", "longValue")
    case .boolValue?: oneOf("value", "boolValue")
    case nil: break
    }
  }
  func Specification_TransposeLayerParams(_ view: Specification.TransposeLayerParams) throws {
    list("axes", try view.axes)
  }
  func Specification_BatchedMatMulLayerParams(_ view: Specification.BatchedMatMulLayerParams) throws {
    scalar("transposeA", try view.transposeA)
    scalar("transposeB", try view.transposeB)
    scalar("weightMatrixFirstDimension", try view.weightMatrixFirstDimension)
    scalar("weightMatrixSecondDimension", try view.weightMatrixSecondDimension)
    scalar("hasBias", try view.hasBias)
    try one("weights", try view.weights) { try Specification_WeightParams($0) }
    try one("bias", try view.bias) { try Specification_WeightParams($0) }
    scalar("int8DynamicQuantize", try view.int8DynamicQuantize)
  }
  func Specification_ConcatNDLayerParams(_ view: Specification.ConcatNDLayerParams) throws {
    scalar("axis", try view.axis)
    scalar("interleave", try view.interleave)
  }
  func Specification_SoftmaxNDLayerParams(_ view: Specification.SoftmaxNDLayerParams) throws {
    scalar("axis", try view.axis)
  }
  func Specification_ReverseLayerParams(_ view: Specification.ReverseLayerParams) throws {
    list("reverseDim", try view.reverseDim)
  }
  func Specification_ReverseSeqLayerParams(_ view: Specification.ReverseSeqLayerParams) throws {
    scalar("batchAxis", try view.batchAxis)
    scalar("sequenceAxis", try view.sequenceAxis)
  }
  func Specification_LoadConstantNDLayerParams(_ view: Specification.LoadConstantNDLayerParams) throws {
    list("shape", try view.shape)
    try one("data", try view.data) { try Specification_WeightParams($0) }
  }
  func Specification_FillLikeLayerParams(_ view: Specification.FillLikeLayerParams) throws {
    scalar("value", try view.value)
  }
  func Specification_FillStaticLayerParams(_ view: Specification.FillStaticLayerParams) throws {
    scalar("value", try view.value)
    list("targetShape", try view.targetShape)
  }
  func Specification_FillDynamicLayerParams(_ view: Specification.FillDynamicLayerParams) throws {
    scalar("value", try view.value)
  }
  func Specification_WhereBroadcastableLayerParams(_ view: Specification.WhereBroadcastableLayerParams) throws {
  }
  func Specification_SinLayerParams(_ view: Specification.SinLayerParams) throws {
  }
  func Specification_CosLayerParams(_ view: Specification.CosLayerParams) throws {
  }
  func Specification_TanLayerParams(_ view: Specification.TanLayerParams) throws {
  }
  func Specification_AsinLayerParams(_ view: Specification.AsinLayerParams) throws {
  }
  func Specification_AcosLayerParams(_ view: Specification.AcosLayerParams) throws {
  }
  func Specification_AtanLayerParams(_ view: Specification.AtanLayerParams) throws {
  }
  func Specification_SinhLayerParams(_ view: Specification.SinhLayerParams) throws {
  }
  func Specification_CoshLayerParams(_ view: Specification.CoshLayerParams) throws {
  }
  func Specification_TanhLayerParams(_ view: Specification.TanhLayerParams) throws {
  }
  func Specification_AsinhLayerParams(_ view: Specification.AsinhLayerParams) throws {
  }
  func Specification_AcoshLayerParams(_ view: Specification.AcoshLayerParams) throws {
  }
  func Specification_AtanhLayerParams(_ view: Specification.AtanhLayerParams) throws {
  }
  func Specification_PowBroadcastableLayerParams(_ view: Specification.PowBroadcastableLayerParams) throws {
  }
  func Specification_Exp2LayerParams(_ view: Specification.Exp2LayerParams) throws {
  }
  func Specification_WhereNonZeroLayerParams(_ view: Specification.WhereNonZeroLayerParams) throws {
  }
  func Specification_MatrixBandPartLayerParams(_ view: Specification.MatrixBandPartLayerParams) throws {
    scalar("numLower", try view.numLower)
    scalar("numUpper", try view.numUpper)
  }
  func Specification_UpperTriangularLayerParams(_ view: Specification.UpperTriangularLayerParams) throws {
    scalar("k", try view.k)
  }
  func Specification_LowerTriangularLayerParams(_ view: Specification.LowerTriangularLayerParams) throws {
    scalar("k", try view.k)
  }
  func Specification_BroadcastToLikeLayerParams(_ view: Specification.BroadcastToLikeLayerParams) throws {
  }
  func Specification_BroadcastToStaticLayerParams(_ view: Specification.BroadcastToStaticLayerParams) throws {
    list("targetShape", try view.targetShape)
  }
  func Specification_BroadcastToDynamicLayerParams(_ view: Specification.BroadcastToDynamicLayerParams) throws {
  }
  func Specification_AddBroadcastableLayerParams(_ view: Specification.AddBroadcastableLayerParams) throws {
  }
  func Specification_MaxBroadcastableLayerParams(_ view: Specification.MaxBroadcastableLayerParams) throws {
  }
  func Specification_MinBroadcastableLayerParams(_ view: Specification.MinBroadcastableLayerParams) throws {
  }
  func Specification_ModBroadcastableLayerParams(_ view: Specification.ModBroadcastableLayerParams) throws {
  }
  func Specification_FloorDivBroadcastableLayerParams(_ view: Specification.FloorDivBroadcastableLayerParams) throws {
  }
  func Specification_SubtractBroadcastableLayerParams(_ view: Specification.SubtractBroadcastableLayerParams) throws {
  }
  func Specification_MultiplyBroadcastableLayerParams(_ view: Specification.MultiplyBroadcastableLayerParams) throws {
  }
  func Specification_DivideBroadcastableLayerParams(_ view: Specification.DivideBroadcastableLayerParams) throws {
  }
  func Specification_GatherLayerParams(_ view: Specification.GatherLayerParams) throws {
    scalar("axis", try view.axis)
  }
  func Specification_ScatterLayerParams(_ view: Specification.ScatterLayerParams) throws {
    scalar("axis", try view.axis)
    scalar("mode", try view.mode.rawValue)
  }
  func Specification_GatherNDLayerParams(_ view: Specification.GatherNDLayerParams) throws {
  }
  func Specification_ScatterNDLayerParams(_ view: Specification.ScatterNDLayerParams) throws {
    scalar("mode", try view.mode.rawValue)
  }
  func Specification_GatherAlongAxisLayerParams(_ view: Specification.GatherAlongAxisLayerParams) throws {
    scalar("axis", try view.axis)
  }
  func Specification_ScatterAlongAxisLayerParams(_ view: Specification.ScatterAlongAxisLayerParams) throws {
    scalar("axis", try view.axis)
    scalar("mode", try view.mode.rawValue)
  }
  func Specification_StackLayerParams(_ view: Specification.StackLayerParams) throws {
    scalar("axis", try view.axis)
  }
  func Specification_RankPreservingReshapeLayerParams(_ view: Specification.RankPreservingReshapeLayerParams) throws {
    list("targetShape", try view.targetShape)
  }
  func Specification_ConstantPaddingLayerParams(_ view: Specification.ConstantPaddingLayerParams) throws {
    scalar("value", try view.value)
    list("padAmounts", try view.padAmounts)
    scalar("padToGivenOutputSizeMode", try view.padToGivenOutputSizeMode)
  }
  func Specification_RandomNormalLikeLayerParams(_ view: Specification.RandomNormalLikeLayerParams) throws {
    scalar("seed", try view.seed)
    scalar("mean", try view.mean)
    scalar("stdDev", try view.stdDev)
  }
  func Specification_RandomNormalStaticLayerParams(_ view: Specification.RandomNormalStaticLayerParams) throws {
    scalar("seed", try view.seed)
    scalar("mean", try view.mean)
    scalar("stdDev", try view.stdDev)
    list("outputShape", try view.outputShape)
  }
  func Specification_RandomNormalDynamicLayerParams(_ view: Specification.RandomNormalDynamicLayerParams) throws {
    scalar("seed", try view.seed)
    scalar("mean", try view.mean)
    scalar("stdDev", try view.stdDev)
  }
  func Specification_RandomUniformLikeLayerParams(_ view: Specification.RandomUniformLikeLayerParams) throws {
    scalar("seed", try view.seed)
    scalar("minVal", try view.minVal)
    scalar("maxVal", try view.maxVal)
  }
  func Specification_RandomUniformStaticLayerParams(_ view: Specification.RandomUniformStaticLayerParams) throws {
    scalar("seed", try view.seed)
    scalar("minVal", try view.minVal)
    scalar("maxVal", try view.maxVal)
    list("outputShape", try view.outputShape)
  }
  func Specification_RandomUniformDynamicLayerParams(_ view: Specification.RandomUniformDynamicLayerParams) throws {
    scalar("seed", try view.seed)
    scalar("minVal", try view.minVal)
    scalar("maxVal", try view.maxVal)
  }
  func Specification_RandomBernoulliLikeLayerParams(_ view: Specification.RandomBernoulliLikeLayerParams) throws {
    scalar("seed", try view.seed)
    scalar("prob", try view.prob)
  }
  func Specification_RandomBernoulliStaticLayerParams(_ view: Specification.RandomBernoulliStaticLayerParams) throws {
    scalar("seed", try view.seed)
    scalar("prob", try view.prob)
    list("outputShape", try view.outputShape)
  }
  func Specification_RandomBernoulliDynamicLayerParams(_ view: Specification.RandomBernoulliDynamicLayerParams) throws {
    scalar("seed", try view.seed)
    scalar("prob", try view.prob)
  }
  func Specification_CategoricalDistributionLayerParams(_ view: Specification.CategoricalDistributionLayerParams) throws {
    scalar("seed", try view.seed)
    scalar("numSamples", try view.numSamples)
    scalar("isLogits", try view.isLogits)
    scalar("eps", try view.eps)
    scalar("temperature", try view.temperature)
  }
  func Specification_ReduceL1LayerParams(_ view: Specification.ReduceL1LayerParams) throws {
    list("axes", try view.axes)
    scalar("keepDims", try view.keepDims)
    scalar("reduceAll", try view.reduceAll)
  }
  func Specification_ReduceL2LayerParams(_ view: Specification.ReduceL2LayerParams) throws {
    list("axes", try view.axes)
    scalar("keepDims", try view.keepDims)
    scalar("reduceAll", try view.reduceAll)
  }
  func Specification_ReduceMaxLayerParams(_ view: Specification.ReduceMaxLayerParams) throws {
    list("axes", try view.axes)
    scalar("keepDims", try view.keepDims)
    scalar("reduceAll", try view.reduceAll)
  }
  func Specification_ReduceMinLayerParams(_ view: Specification.ReduceMinLayerParams) throws {
    list("axes", try view.axes)
    scalar("keepDims", try view.keepDims)
    scalar("reduceAll", try view.reduceAll)
  }
  func Specification_ReduceSumLayerParams(_ view: Specification.ReduceSumLayerParams) throws {
    list("axes", try view.axes)
    scalar("keepDims", try view.keepDims)
    scalar("reduceAll", try view.reduceAll)
  }
  func Specification_ReduceProdLayerParams(_ view: Specification.ReduceProdLayerParams) throws {
    list("axes", try view.axes)
    scalar("keepDims", try view.keepDims)
    scalar("reduceAll", try view.reduceAll)
  }
  func Specification_ReduceMeanLayerParams(_ view: Specification.ReduceMeanLayerParams) throws {
    list("axes", try view.axes)
    scalar("keepDims", try view.keepDims)
    scalar("reduceAll", try view.reduceAll)
  }
  func Specification_ReduceLogSumLayerParams(_ view: Specification.ReduceLogSumLayerParams) throws {
    list("axes", try view.axes)
    scalar("keepDims", try view.keepDims)
    scalar("reduceAll", try view.reduceAll)
  }
  func Specification_ReduceSumSquareLayerParams(_ view: Specification.ReduceSumSquareLayerParams) throws {
    list("axes", try view.axes)
    scalar("keepDims", try view.keepDims)
    scalar("reduceAll", try view.reduceAll)
  }
  func Specification_ReduceLogSumExpLayerParams(_ view: Specification.ReduceLogSumExpLayerParams) throws {
    list("axes", try view.axes)
    scalar("keepDims", try view.keepDims)
    scalar("reduceAll", try view.reduceAll)
  }
  func Specification_ExpandDimsLayerParams(_ view: Specification.ExpandDimsLayerParams) throws {
    list("axes", try view.axes)
  }
  func Specification_FlattenTo2DLayerParams(_ view: Specification.FlattenTo2DLayerParams) throws {
    scalar("axis", try view.axis)
  }
  func Specification_ReshapeStaticLayerParams(_ view: Specification.ReshapeStaticLayerParams) throws {
    list("targetShape", try view.targetShape)
  }
  func Specification_ReshapeLikeLayerParams(_ view: Specification.ReshapeLikeLayerParams) throws {
  }
  func Specification_ReshapeDynamicLayerParams(_ view: Specification.ReshapeDynamicLayerParams) throws {
  }
  func Specification_SqueezeLayerParams(_ view: Specification.SqueezeLayerParams) throws {
    list("axes", try view.axes)
    scalar("squeezeAll", try view.squeezeAll)
  }
  func Specification_TopKLayerParams(_ view: Specification.TopKLayerParams) throws {
    scalar("axis", try view.axis)
    scalar("K", try view.k)
    scalar("useBottomK", try view.useBottomK)
  }
  func Specification_ArgMaxLayerParams(_ view: Specification.ArgMaxLayerParams) throws {
    scalar("axis", try view.axis)
    scalar("removeDim", try view.removeDim)
  }
  func Specification_ArgMinLayerParams(_ view: Specification.ArgMinLayerParams) throws {
    scalar("axis", try view.axis)
    scalar("removeDim", try view.removeDim)
  }
  func Specification_SplitNDLayerParams(_ view: Specification.SplitNDLayerParams) throws {
    scalar("axis", try view.axis)
    scalar("numSplits", try view.numSplits)
    list("splitSizes", try view.splitSizes)
  }
  func Specification_CeilLayerParams(_ view: Specification.CeilLayerParams) throws {
  }
  func Specification_RoundLayerParams(_ view: Specification.RoundLayerParams) throws {
  }
  func Specification_FloorLayerParams(_ view: Specification.FloorLayerParams) throws {
  }
  func Specification_SignLayerParams(_ view: Specification.SignLayerParams) throws {
  }
  func Specification_ClipLayerParams(_ view: Specification.ClipLayerParams) throws {
    scalar("minVal", try view.minVal)
    scalar("maxVal", try view.maxVal)
  }
  func Specification_SliceStaticLayerParams(_ view: Specification.SliceStaticLayerParams) throws {
    list("beginIds", try view.beginIds)
    list("beginMasks", try view.beginMasks)
    list("endIds", try view.endIds)
    list("endMasks", try view.endMasks)
    list("strides", try view.strides)
    list("squeezeMasks", try view.squeezeMasks)
  }
  func Specification_SliceDynamicLayerParams(_ view: Specification.SliceDynamicLayerParams) throws {
    list("beginMasks", try view.beginMasks)
    list("endIds", try view.endIds)
    list("endMasks", try view.endMasks)
    list("strides", try view.strides)
    list("squeezeMasks", try view.squeezeMasks)
  }
  func Specification_TileLayerParams(_ view: Specification.TileLayerParams) throws {
    list("reps", try view.reps)
  }
  func Specification_GetShapeLayerParams(_ view: Specification.GetShapeLayerParams) throws {
  }
  func Specification_ErfLayerParams(_ view: Specification.ErfLayerParams) throws {
  }
  func Specification_GeluLayerParams(_ view: Specification.GeluLayerParams) throws {
    scalar("mode", try view.mode.rawValue)
  }
  func Specification_RangeStaticLayerParams(_ view: Specification.RangeStaticLayerParams) throws {
    scalar("endValue", try view.endValue)
    scalar("startValue", try view.startValue)
    scalar("stepSizeValue", try view.stepSizeValue)
  }
  func Specification_RangeDynamicLayerParams(_ view: Specification.RangeDynamicLayerParams) throws {
    scalar("startValue", try view.startValue)
    scalar("stepSizeValue", try view.stepSizeValue)
  }
  func Specification_SlidingWindowsLayerParams(_ view: Specification.SlidingWindowsLayerParams) throws {
    scalar("axis", try view.axis)
    scalar("windowSize", try view.windowSize)
    scalar("step", try view.step)
  }
  func Specification_LayerNormalizationLayerParams(_ view: Specification.LayerNormalizationLayerParams) throws {
    list("normalizedShape", try view.normalizedShape)
    scalar("eps", try view.eps)
    try one("gamma", try view.gamma) { try Specification_WeightParams($0) }
    try one("beta", try view.beta) { try Specification_WeightParams($0) }
  }
  func Specification_NonMaximumSuppressionLayerParams(_ view: Specification.NonMaximumSuppressionLayerParams) throws {
    scalar("iouThreshold", try view.iouThreshold)
    scalar("scoreThreshold", try view.scoreThreshold)
    scalar("maxBoxes", try view.maxBoxes)
    scalar("perClassSuppression", try view.perClassSuppression)
  }
  func Specification_ClampedReLULayerParams(_ view: Specification.ClampedReLULayerParams) throws {
    scalar("alpha", try view.alpha)
    scalar("beta", try view.beta)
  }
  func Specification_ArgSortLayerParams(_ view: Specification.ArgSortLayerParams) throws {
    scalar("axis", try view.axis)
    scalar("descending", try view.descending)
  }
  func Specification_SliceBySizeLayerParams(_ view: Specification.SliceBySizeLayerParams) throws {
    scalar("size", try view.size)
    scalar("axis", try view.axis)
  }
  func Specification_NeuralNetworkClassifier(_ view: Specification.NeuralNetworkClassifier) throws {
    try each("layers", try view.layers) { try Specification_NeuralNetworkLayer($0) }
    try each("preprocessing", try view.preprocessing) { try Specification_NeuralNetworkPreprocessing($0) }
    scalar("arrayInputShapeMapping", try view.arrayInputShapeMapping.rawValue)
    scalar("imageInputShapeMapping", try view.imageInputShapeMapping.rawValue)
    try one("updateParams", try view.updateParams) { try Specification_NetworkUpdateParameters($0) }
    try one("stringClassLabels", try view.stringClassLabels) { try Specification_StringVector($0) }
    try one("int64ClassLabels", try view.int64ClassLabels) { try Specification_Int64Vector($0) }
    scalar("labelProbabilityLayerName", try view.labelProbabilityLayerName)
    switch try view.classLabels {
    case .stringClassLabels?: oneOf("ClassLabels", "stringClassLabels")
    case .int64ClassLabels?: oneOf("ClassLabels", "int64ClassLabels")
    case nil: break
    }
  }
  func Specification_OneHotLayerParams(_ view: Specification.OneHotLayerParams) throws {
    scalar("oneHotVectorSize", try view.oneHotVectorSize)
    scalar("axis", try view.axis)
    scalar("onValue", try view.onValue)
    scalar("offValue", try view.offValue)
  }
  func Specification_CumSumLayerParams(_ view: Specification.CumSumLayerParams) throws {
    scalar("axis", try view.axis)
    scalar("excludeFinalSum", try view.excludeFinalSum)
    scalar("reverse", try view.reverse)
  }
  func Specification_NeuralNetworkRegressor(_ view: Specification.NeuralNetworkRegressor) throws {
    try each("layers", try view.layers) { try Specification_NeuralNetworkLayer($0) }
    try each("preprocessing", try view.preprocessing) { try Specification_NeuralNetworkPreprocessing($0) }
    scalar("arrayInputShapeMapping", try view.arrayInputShapeMapping.rawValue)
    scalar("imageInputShapeMapping", try view.imageInputShapeMapping.rawValue)
    try one("updateParams", try view.updateParams) { try Specification_NetworkUpdateParameters($0) }
  }
  func Specification_NetworkUpdateParameters(_ view: Specification.NetworkUpdateParameters) throws {
    try each("lossLayers", try view.lossLayers) { try Specification_LossLayer($0) }
    try one("optimizer", try view.optimizer) { try Specification_Optimizer($0) }
    try one("epochs", try view.epochs) { try Specification_Int64Parameter($0) }
    try one("shuffle", try view.shuffle) { try Specification_BoolParameter($0) }
    try one("seed", try view.seed) { try Specification_Int64Parameter($0) }
  }
  func Specification_LossLayer(_ view: Specification.LossLayer) throws {
    scalar("name", try view.name)
    try one("categoricalCrossEntropyLossLayer", try view.categoricalCrossEntropyLossLayer) { try Specification_CategoricalCrossEntropyLossLayer($0) }
    try one("meanSquaredErrorLossLayer", try view.meanSquaredErrorLossLayer) { try Specification_MeanSquaredErrorLossLayer($0) }
    switch try view.lossLayerType {
    case .categoricalCrossEntropyLossLayer?: oneOf("LossLayerType", "categoricalCrossEntropyLossLayer")
    case .meanSquaredErrorLossLayer?: oneOf("LossLayerType", "meanSquaredErrorLossLayer")
    case nil: break
    }
  }
  func Specification_CategoricalCrossEntropyLossLayer(_ view: Specification.CategoricalCrossEntropyLossLayer) throws {
    scalar("input", try view.input)
    scalar("target", try view.target)
  }
  func Specification_MeanSquaredErrorLossLayer(_ view: Specification.MeanSquaredErrorLossLayer) throws {
    scalar("input", try view.input)
    scalar("target", try view.target)
  }
  func Specification_Optimizer(_ view: Specification.Optimizer) throws {
    try one("sgdOptimizer", try view.sgdOptimizer) { try Specification_SGDOptimizer($0) }
    try one("adamOptimizer", try view.adamOptimizer) { try Specification_AdamOptimizer($0) }
    switch try view.optimizerType {
    case .sgdOptimizer?: oneOf("OptimizerType", "sgdOptimizer")
    case .adamOptimizer?: oneOf("OptimizerType", "adamOptimizer")
    case nil: break
    }
  }
  func Specification_SGDOptimizer(_ view: Specification.SGDOptimizer) throws {
    try one("learningRate", try view.learningRate) { try Specification_DoubleParameter($0) }
    try one("miniBatchSize", try view.miniBatchSize) { try Specification_Int64Parameter($0) }
    try one("momentum", try view.momentum) { try Specification_DoubleParameter($0) }
  }
  func Specification_AdamOptimizer(_ view: Specification.AdamOptimizer) throws {
    try one("learningRate", try view.learningRate) { try Specification_DoubleParameter($0) }
    try one("miniBatchSize", try view.miniBatchSize) { try Specification_Int64Parameter($0) }
    try one("beta1", try view.beta1) { try Specification_DoubleParameter($0) }
    try one("beta2", try view.beta2) { try Specification_DoubleParameter($0) }
    try one("eps", try view.eps) { try Specification_DoubleParameter($0) }
  }
}
