// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLBase

extension Specification {
  package enum NeuralNetworkMultiArrayShapeMapping: Int32, Sendable, CaseIterable {
    case rank5ArrayMapping = 0
    case exactArrayMapping = 1
  }
  package enum NeuralNetworkImageShapeMapping: Int32, Sendable, CaseIterable {
    case rank5ImageMapping = 0
    case rank4ImageMapping = 1
  }
  package enum ScatterMode: Int32, Sendable, CaseIterable {
    case scatterUpdate = 0
    case scatterAdd = 1
    case scatterSub = 2
    case scatterMul = 3
    case scatterDiv = 4
    case scatterMax = 5
    case scatterMin = 6
  }
  /// `CoreML.Specification.NeuralNetwork`
  package struct NeuralNetwork: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var layers: Views<Specification.NeuralNetworkLayer> { get throws { try message.views(1, Specification.NeuralNetworkLayer.self) } }
    package var preprocessing: Views<Specification.NeuralNetworkPreprocessing> { get throws { try message.views(2, Specification.NeuralNetworkPreprocessing.self) } }
    package var arrayInputShapeMapping: Specification.NeuralNetworkMultiArrayShapeMapping { get throws { try message.value(5, Specification.NeuralNetworkMultiArrayShapeMapping.self) } }
    package var imageInputShapeMapping: Specification.NeuralNetworkImageShapeMapping { get throws { try message.value(6, Specification.NeuralNetworkImageShapeMapping.self) } }
    package var updateParams: Specification.NetworkUpdateParameters? { get throws { try message.message(10).map(Specification.NetworkUpdateParameters.init) } }
  }
  /// `CoreML.Specification.NeuralNetworkImageScaler`
  package struct NeuralNetworkImageScaler: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var channelScale: Float { get throws { try message.float(10) } }
    package var blueBias: Float { get throws { try message.float(20) } }
    package var greenBias: Float { get throws { try message.float(21) } }
    package var redBias: Float { get throws { try message.float(22) } }
    package var grayBias: Float { get throws { try message.float(30) } }
  }
  /// `CoreML.Specification.NeuralNetworkMeanImage`
  package struct NeuralNetworkMeanImage: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var meanImage: [Float] { get throws { try message.floats(1) } }
    package var meanImageBytes: Bytes { get throws { try message.floatBytes(1) } }
  }
  /// `CoreML.Specification.NeuralNetworkPreprocessing`
  package struct NeuralNetworkPreprocessing: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var featureName: String { get throws { try message.string(1) } }
    package var scaler: Specification.NeuralNetworkImageScaler? { get throws { try message.message(10, of: Self.preprocessorFields).map(Specification.NeuralNetworkImageScaler.init) } }
    package var meanImage: Specification.NeuralNetworkMeanImage? { get throws { try message.message(11, of: Self.preprocessorFields).map(Specification.NeuralNetworkMeanImage.init) } }
    static let preprocessorFields = [10, 11]
    package enum OneOfPreprocessor: Sendable {
      case scaler(Specification.NeuralNetworkImageScaler)
      case meanImage(Specification.NeuralNetworkMeanImage)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(10, "scaler", .scaler(Specification.NeuralNetworkImageScaler(Message()))),
          OneOfMember(11, "meanImage", .meanImage(Specification.NeuralNetworkMeanImage(Message()))),
        ]
      }
    }
    package var preprocessor: OneOfPreprocessor? {
      get throws {
        guard let member = try message.member(of: Self.preprocessorFields) else { return nil }
        switch member.number {
        case 10: return .scaler(Specification.NeuralNetworkImageScaler(try member.message()))
        case 11: return .meanImage(Specification.NeuralNetworkMeanImage(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.ActivationReLU`
  package struct ActivationReLU: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.ActivationLeakyReLU`
  package struct ActivationLeakyReLU: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(1) } }
  }
  /// `CoreML.Specification.ActivationTanh`
  package struct ActivationTanh: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.ActivationScaledTanh`
  package struct ActivationScaledTanh: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(1) } }
    package var beta: Float { get throws { try message.float(2) } }
  }
  /// `CoreML.Specification.ActivationSigmoid`
  package struct ActivationSigmoid: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.ActivationLinear`
  package struct ActivationLinear: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(1) } }
    package var beta: Float { get throws { try message.float(2) } }
  }
  /// `CoreML.Specification.ActivationSigmoidHard`
  package struct ActivationSigmoidHard: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(1) } }
    package var beta: Float { get throws { try message.float(2) } }
  }
  /// `CoreML.Specification.ActivationPReLU`
  package struct ActivationPReLU: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Specification.WeightParams? { get throws { try message.message(1).map(Specification.WeightParams.init) } }
  }
  /// `CoreML.Specification.ActivationELU`
  package struct ActivationELU: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(1) } }
  }
  /// `CoreML.Specification.ActivationThresholdedReLU`
  package struct ActivationThresholdedReLU: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(1) } }
  }
  /// `CoreML.Specification.ActivationSoftsign`
  package struct ActivationSoftsign: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.ActivationSoftplus`
  package struct ActivationSoftplus: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.ActivationParametricSoftplus`
  package struct ActivationParametricSoftplus: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Specification.WeightParams? { get throws { try message.message(1).map(Specification.WeightParams.init) } }
    package var beta: Specification.WeightParams? { get throws { try message.message(2).map(Specification.WeightParams.init) } }
  }
  /// `CoreML.Specification.ActivationParams`
  package struct ActivationParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var linear: Specification.ActivationLinear? { get throws { try message.message(5, of: Self.nonlinearityTypeFields).map(Specification.ActivationLinear.init) } }
    package var reLU: Specification.ActivationReLU? { get throws { try message.message(10, of: Self.nonlinearityTypeFields).map(Specification.ActivationReLU.init) } }
    package var leakyReLU: Specification.ActivationLeakyReLU? { get throws { try message.message(15, of: Self.nonlinearityTypeFields).map(Specification.ActivationLeakyReLU.init) } }
    package var thresholdedReLU: Specification.ActivationThresholdedReLU? { get throws { try message.message(20, of: Self.nonlinearityTypeFields).map(Specification.ActivationThresholdedReLU.init) } }
    package var pReLU: Specification.ActivationPReLU? { get throws { try message.message(25, of: Self.nonlinearityTypeFields).map(Specification.ActivationPReLU.init) } }
    package var tanh: Specification.ActivationTanh? { get throws { try message.message(30, of: Self.nonlinearityTypeFields).map(Specification.ActivationTanh.init) } }
    package var scaledTanh: Specification.ActivationScaledTanh? { get throws { try message.message(31, of: Self.nonlinearityTypeFields).map(Specification.ActivationScaledTanh.init) } }
    package var sigmoid: Specification.ActivationSigmoid? { get throws { try message.message(40, of: Self.nonlinearityTypeFields).map(Specification.ActivationSigmoid.init) } }
    package var sigmoidHard: Specification.ActivationSigmoidHard? { get throws { try message.message(41, of: Self.nonlinearityTypeFields).map(Specification.ActivationSigmoidHard.init) } }
    package var elu: Specification.ActivationELU? { get throws { try message.message(50, of: Self.nonlinearityTypeFields).map(Specification.ActivationELU.init) } }
    package var softsign: Specification.ActivationSoftsign? { get throws { try message.message(60, of: Self.nonlinearityTypeFields).map(Specification.ActivationSoftsign.init) } }
    package var softplus: Specification.ActivationSoftplus? { get throws { try message.message(70, of: Self.nonlinearityTypeFields).map(Specification.ActivationSoftplus.init) } }
    package var parametricSoftplus: Specification.ActivationParametricSoftplus? { get throws { try message.message(71, of: Self.nonlinearityTypeFields).map(Specification.ActivationParametricSoftplus.init) } }
    static let nonlinearityTypeFields = [5, 10, 15, 20, 25, 30, 31, 40, 41, 50, 60, 70, 71]
    package enum OneOfNonlinearityType: Sendable {
      case linear(Specification.ActivationLinear)
      case reLU(Specification.ActivationReLU)
      case leakyReLU(Specification.ActivationLeakyReLU)
      case thresholdedReLU(Specification.ActivationThresholdedReLU)
      case pReLU(Specification.ActivationPReLU)
      case tanh(Specification.ActivationTanh)
      case scaledTanh(Specification.ActivationScaledTanh)
      case sigmoid(Specification.ActivationSigmoid)
      case sigmoidHard(Specification.ActivationSigmoidHard)
      case elu(Specification.ActivationELU)
      case softsign(Specification.ActivationSoftsign)
      case softplus(Specification.ActivationSoftplus)
      case parametricSoftplus(Specification.ActivationParametricSoftplus)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(5, "linear", .linear(Specification.ActivationLinear(Message()))),
          OneOfMember(10, "ReLU", .reLU(Specification.ActivationReLU(Message()))),
          OneOfMember(15, "leakyReLU", .leakyReLU(Specification.ActivationLeakyReLU(Message()))),
          OneOfMember(20, "thresholdedReLU", .thresholdedReLU(Specification.ActivationThresholdedReLU(Message()))),
          OneOfMember(25, "PReLU", .pReLU(Specification.ActivationPReLU(Message()))),
          OneOfMember(30, "tanh", .tanh(Specification.ActivationTanh(Message()))),
          OneOfMember(31, "scaledTanh", .scaledTanh(Specification.ActivationScaledTanh(Message()))),
          OneOfMember(40, "sigmoid", .sigmoid(Specification.ActivationSigmoid(Message()))),
          OneOfMember(41, "sigmoidHard", .sigmoidHard(Specification.ActivationSigmoidHard(Message()))),
          OneOfMember(50, "ELU", .elu(Specification.ActivationELU(Message()))),
          OneOfMember(60, "softsign", .softsign(Specification.ActivationSoftsign(Message()))),
          OneOfMember(70, "softplus", .softplus(Specification.ActivationSoftplus(Message()))),
          OneOfMember(71, "parametricSoftplus", .parametricSoftplus(Specification.ActivationParametricSoftplus(Message()))),
        ]
      }
    }
    package var nonlinearityType: OneOfNonlinearityType? {
      get throws {
        guard let member = try message.member(of: Self.nonlinearityTypeFields) else { return nil }
        switch member.number {
        case 5: return .linear(Specification.ActivationLinear(try member.message()))
        case 10: return .reLU(Specification.ActivationReLU(try member.message()))
        case 15: return .leakyReLU(Specification.ActivationLeakyReLU(try member.message()))
        case 20: return .thresholdedReLU(Specification.ActivationThresholdedReLU(try member.message()))
        case 25: return .pReLU(Specification.ActivationPReLU(try member.message()))
        case 30: return .tanh(Specification.ActivationTanh(try member.message()))
        case 31: return .scaledTanh(Specification.ActivationScaledTanh(try member.message()))
        case 40: return .sigmoid(Specification.ActivationSigmoid(try member.message()))
        case 41: return .sigmoidHard(Specification.ActivationSigmoidHard(try member.message()))
        case 50: return .elu(Specification.ActivationELU(try member.message()))
        case 60: return .softsign(Specification.ActivationSoftsign(try member.message()))
        case 70: return .softplus(Specification.ActivationSoftplus(try member.message()))
        case 71: return .parametricSoftplus(Specification.ActivationParametricSoftplus(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.Tensor`
  package struct Tensor: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var rank: UInt32 { get throws { try message.uint32(1) } }
    package var dimValue: [Int64] { get throws { try message.int64s(2) } }
  }
  /// `CoreML.Specification.NeuralNetworkLayer`
  package struct NeuralNetworkLayer: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var name: String { get throws { try message.string(1) } }
    package var input: [String] { get throws { try message.strings(2) } }
    package var output: [String] { get throws { try message.strings(3) } }
    package var inputTensor: Views<Specification.Tensor> { get throws { try message.views(4, Specification.Tensor.self) } }
    package var outputTensor: Views<Specification.Tensor> { get throws { try message.views(5, Specification.Tensor.self) } }
    package var isUpdatable: Bool { get throws { try message.bool(10) } }
    package var convolution: Specification.ConvolutionLayerParams? { get throws { try message.message(100, of: Self.layerFields).map(Specification.ConvolutionLayerParams.init) } }
    package var pooling: Specification.PoolingLayerParams? { get throws { try message.message(120, of: Self.layerFields).map(Specification.PoolingLayerParams.init) } }
    package var activation: Specification.ActivationParams? { get throws { try message.message(130, of: Self.layerFields).map(Specification.ActivationParams.init) } }
    package var innerProduct: Specification.InnerProductLayerParams? { get throws { try message.message(140, of: Self.layerFields).map(Specification.InnerProductLayerParams.init) } }
    package var embedding: Specification.EmbeddingLayerParams? { get throws { try message.message(150, of: Self.layerFields).map(Specification.EmbeddingLayerParams.init) } }
    package var batchnorm: Specification.BatchnormLayerParams? { get throws { try message.message(160, of: Self.layerFields).map(Specification.BatchnormLayerParams.init) } }
    package var mvn: Specification.MeanVarianceNormalizeLayerParams? { get throws { try message.message(165, of: Self.layerFields).map(Specification.MeanVarianceNormalizeLayerParams.init) } }
    package var l2normalize: Specification.L2NormalizeLayerParams? { get throws { try message.message(170, of: Self.layerFields).map(Specification.L2NormalizeLayerParams.init) } }
    package var softmax: Specification.SoftmaxLayerParams? { get throws { try message.message(175, of: Self.layerFields).map(Specification.SoftmaxLayerParams.init) } }
    package var lrn: Specification.LRNLayerParams? { get throws { try message.message(180, of: Self.layerFields).map(Specification.LRNLayerParams.init) } }
    package var crop: Specification.CropLayerParams? { get throws { try message.message(190, of: Self.layerFields).map(Specification.CropLayerParams.init) } }
    package var padding: Specification.PaddingLayerParams? { get throws { try message.message(200, of: Self.layerFields).map(Specification.PaddingLayerParams.init) } }
    package var upsample: Specification.UpsampleLayerParams? { get throws { try message.message(210, of: Self.layerFields).map(Specification.UpsampleLayerParams.init) } }
    package var resizeBilinear: Specification.ResizeBilinearLayerParams? { get throws { try message.message(211, of: Self.layerFields).map(Specification.ResizeBilinearLayerParams.init) } }
    package var cropResize: Specification.CropResizeLayerParams? { get throws { try message.message(212, of: Self.layerFields).map(Specification.CropResizeLayerParams.init) } }
    package var unary: Specification.UnaryFunctionLayerParams? { get throws { try message.message(220, of: Self.layerFields).map(Specification.UnaryFunctionLayerParams.init) } }
    package var add: Specification.AddLayerParams? { get throws { try message.message(230, of: Self.layerFields).map(Specification.AddLayerParams.init) } }
    package var multiply: Specification.MultiplyLayerParams? { get throws { try message.message(231, of: Self.layerFields).map(Specification.MultiplyLayerParams.init) } }
    package var average: Specification.AverageLayerParams? { get throws { try message.message(240, of: Self.layerFields).map(Specification.AverageLayerParams.init) } }
    package var scale: Specification.ScaleLayerParams? { get throws { try message.message(245, of: Self.layerFields).map(Specification.ScaleLayerParams.init) } }
    package var bias: Specification.BiasLayerParams? { get throws { try message.message(250, of: Self.layerFields).map(Specification.BiasLayerParams.init) } }
    package var max: Specification.MaxLayerParams? { get throws { try message.message(260, of: Self.layerFields).map(Specification.MaxLayerParams.init) } }
    package var min: Specification.MinLayerParams? { get throws { try message.message(261, of: Self.layerFields).map(Specification.MinLayerParams.init) } }
    package var dot: Specification.DotProductLayerParams? { get throws { try message.message(270, of: Self.layerFields).map(Specification.DotProductLayerParams.init) } }
    package var reduce: Specification.ReduceLayerParams? { get throws { try message.message(280, of: Self.layerFields).map(Specification.ReduceLayerParams.init) } }
    package var loadConstant: Specification.LoadConstantLayerParams? { get throws { try message.message(290, of: Self.layerFields).map(Specification.LoadConstantLayerParams.init) } }
    package var reshape: Specification.ReshapeLayerParams? { get throws { try message.message(300, of: Self.layerFields).map(Specification.ReshapeLayerParams.init) } }
    package var flatten: Specification.FlattenLayerParams? { get throws { try message.message(301, of: Self.layerFields).map(Specification.FlattenLayerParams.init) } }
    package var permute: Specification.PermuteLayerParams? { get throws { try message.message(310, of: Self.layerFields).map(Specification.PermuteLayerParams.init) } }
    package var concat: Specification.ConcatLayerParams? { get throws { try message.message(320, of: Self.layerFields).map(Specification.ConcatLayerParams.init) } }
    package var split: Specification.SplitLayerParams? { get throws { try message.message(330, of: Self.layerFields).map(Specification.SplitLayerParams.init) } }
    package var sequenceRepeat: Specification.SequenceRepeatLayerParams? { get throws { try message.message(340, of: Self.layerFields).map(Specification.SequenceRepeatLayerParams.init) } }
    package var reorganizeData: Specification.ReorganizeDataLayerParams? { get throws { try message.message(345, of: Self.layerFields).map(Specification.ReorganizeDataLayerParams.init) } }
    package var slice: Specification.SliceLayerParams? { get throws { try message.message(350, of: Self.layerFields).map(Specification.SliceLayerParams.init) } }
    package var simpleRecurrent: Specification.SimpleRecurrentLayerParams? { get throws { try message.message(400, of: Self.layerFields).map(Specification.SimpleRecurrentLayerParams.init) } }
    package var gru: Specification.GRULayerParams? { get throws { try message.message(410, of: Self.layerFields).map(Specification.GRULayerParams.init) } }
    package var uniDirectionalLSTM: Specification.UniDirectionalLSTMLayerParams? { get throws { try message.message(420, of: Self.layerFields).map(Specification.UniDirectionalLSTMLayerParams.init) } }
    package var biDirectionalLSTM: Specification.BiDirectionalLSTMLayerParams? { get throws { try message.message(430, of: Self.layerFields).map(Specification.BiDirectionalLSTMLayerParams.init) } }
    package var custom: Specification.CustomLayerParams? { get throws { try message.message(500, of: Self.layerFields).map(Specification.CustomLayerParams.init) } }
    package var copy: Specification.CopyLayerParams? { get throws { try message.message(600, of: Self.layerFields).map(Specification.CopyLayerParams.init) } }
    package var branch: Specification.BranchLayerParams? { get throws { try message.message(605, of: Self.layerFields).map(Specification.BranchLayerParams.init) } }
    package var loop: Specification.LoopLayerParams? { get throws { try message.message(615, of: Self.layerFields).map(Specification.LoopLayerParams.init) } }
    package var loopBreak: Specification.LoopBreakLayerParams? { get throws { try message.message(620, of: Self.layerFields).map(Specification.LoopBreakLayerParams.init) } }
    package var loopContinue: Specification.LoopContinueLayerParams? { get throws { try message.message(625, of: Self.layerFields).map(Specification.LoopContinueLayerParams.init) } }
    package var rangeStatic: Specification.RangeStaticLayerParams? { get throws { try message.message(635, of: Self.layerFields).map(Specification.RangeStaticLayerParams.init) } }
    package var rangeDynamic: Specification.RangeDynamicLayerParams? { get throws { try message.message(640, of: Self.layerFields).map(Specification.RangeDynamicLayerParams.init) } }
    package var clip: Specification.ClipLayerParams? { get throws { try message.message(660, of: Self.layerFields).map(Specification.ClipLayerParams.init) } }
    package var ceil: Specification.CeilLayerParams? { get throws { try message.message(665, of: Self.layerFields).map(Specification.CeilLayerParams.init) } }
    package var floor: Specification.FloorLayerParams? { get throws { try message.message(670, of: Self.layerFields).map(Specification.FloorLayerParams.init) } }
    package var sign: Specification.SignLayerParams? { get throws { try message.message(680, of: Self.layerFields).map(Specification.SignLayerParams.init) } }
    package var round: Specification.RoundLayerParams? { get throws { try message.message(685, of: Self.layerFields).map(Specification.RoundLayerParams.init) } }
    package var exp2: Specification.Exp2LayerParams? { get throws { try message.message(700, of: Self.layerFields).map(Specification.Exp2LayerParams.init) } }
    package var sin: Specification.SinLayerParams? { get throws { try message.message(710, of: Self.layerFields).map(Specification.SinLayerParams.init) } }
    package var cos: Specification.CosLayerParams? { get throws { try message.message(715, of: Self.layerFields).map(Specification.CosLayerParams.init) } }
    package var tan: Specification.TanLayerParams? { get throws { try message.message(720, of: Self.layerFields).map(Specification.TanLayerParams.init) } }
    package var asin: Specification.AsinLayerParams? { get throws { try message.message(730, of: Self.layerFields).map(Specification.AsinLayerParams.init) } }
    package var acos: Specification.AcosLayerParams? { get throws { try message.message(735, of: Self.layerFields).map(Specification.AcosLayerParams.init) } }
    package var atan: Specification.AtanLayerParams? { get throws { try message.message(740, of: Self.layerFields).map(Specification.AtanLayerParams.init) } }
    package var sinh: Specification.SinhLayerParams? { get throws { try message.message(750, of: Self.layerFields).map(Specification.SinhLayerParams.init) } }
    package var cosh: Specification.CoshLayerParams? { get throws { try message.message(755, of: Self.layerFields).map(Specification.CoshLayerParams.init) } }
    package var tanh: Specification.TanhLayerParams? { get throws { try message.message(760, of: Self.layerFields).map(Specification.TanhLayerParams.init) } }
    package var asinh: Specification.AsinhLayerParams? { get throws { try message.message(770, of: Self.layerFields).map(Specification.AsinhLayerParams.init) } }
    package var acosh: Specification.AcoshLayerParams? { get throws { try message.message(775, of: Self.layerFields).map(Specification.AcoshLayerParams.init) } }
    package var atanh: Specification.AtanhLayerParams? { get throws { try message.message(780, of: Self.layerFields).map(Specification.AtanhLayerParams.init) } }
    package var erf: Specification.ErfLayerParams? { get throws { try message.message(790, of: Self.layerFields).map(Specification.ErfLayerParams.init) } }
    package var gelu: Specification.GeluLayerParams? { get throws { try message.message(795, of: Self.layerFields).map(Specification.GeluLayerParams.init) } }
    package var equal: Specification.EqualLayerParams? { get throws { try message.message(815, of: Self.layerFields).map(Specification.EqualLayerParams.init) } }
    package var notEqual: Specification.NotEqualLayerParams? { get throws { try message.message(820, of: Self.layerFields).map(Specification.NotEqualLayerParams.init) } }
    package var lessThan: Specification.LessThanLayerParams? { get throws { try message.message(825, of: Self.layerFields).map(Specification.LessThanLayerParams.init) } }
    package var lessEqual: Specification.LessEqualLayerParams? { get throws { try message.message(827, of: Self.layerFields).map(Specification.LessEqualLayerParams.init) } }
    package var greaterThan: Specification.GreaterThanLayerParams? { get throws { try message.message(830, of: Self.layerFields).map(Specification.GreaterThanLayerParams.init) } }
    package var greaterEqual: Specification.GreaterEqualLayerParams? { get throws { try message.message(832, of: Self.layerFields).map(Specification.GreaterEqualLayerParams.init) } }
    package var logicalOr: Specification.LogicalOrLayerParams? { get throws { try message.message(840, of: Self.layerFields).map(Specification.LogicalOrLayerParams.init) } }
    package var logicalXor: Specification.LogicalXorLayerParams? { get throws { try message.message(845, of: Self.layerFields).map(Specification.LogicalXorLayerParams.init) } }
    package var logicalNot: Specification.LogicalNotLayerParams? { get throws { try message.message(850, of: Self.layerFields).map(Specification.LogicalNotLayerParams.init) } }
    package var logicalAnd: Specification.LogicalAndLayerParams? { get throws { try message.message(855, of: Self.layerFields).map(Specification.LogicalAndLayerParams.init) } }
    package var modBroadcastable: Specification.ModBroadcastableLayerParams? { get throws { try message.message(865, of: Self.layerFields).map(Specification.ModBroadcastableLayerParams.init) } }
    package var minBroadcastable: Specification.MinBroadcastableLayerParams? { get throws { try message.message(870, of: Self.layerFields).map(Specification.MinBroadcastableLayerParams.init) } }
    package var maxBroadcastable: Specification.MaxBroadcastableLayerParams? { get throws { try message.message(875, of: Self.layerFields).map(Specification.MaxBroadcastableLayerParams.init) } }
    package var addBroadcastable: Specification.AddBroadcastableLayerParams? { get throws { try message.message(880, of: Self.layerFields).map(Specification.AddBroadcastableLayerParams.init) } }
    package var powBroadcastable: Specification.PowBroadcastableLayerParams? { get throws { try message.message(885, of: Self.layerFields).map(Specification.PowBroadcastableLayerParams.init) } }
    package var divideBroadcastable: Specification.DivideBroadcastableLayerParams? { get throws { try message.message(890, of: Self.layerFields).map(Specification.DivideBroadcastableLayerParams.init) } }
    package var floorDivBroadcastable: Specification.FloorDivBroadcastableLayerParams? { get throws { try message.message(895, of: Self.layerFields).map(Specification.FloorDivBroadcastableLayerParams.init) } }
    package var multiplyBroadcastable: Specification.MultiplyBroadcastableLayerParams? { get throws { try message.message(900, of: Self.layerFields).map(Specification.MultiplyBroadcastableLayerParams.init) } }
    package var subtractBroadcastable: Specification.SubtractBroadcastableLayerParams? { get throws { try message.message(905, of: Self.layerFields).map(Specification.SubtractBroadcastableLayerParams.init) } }
    package var tile: Specification.TileLayerParams? { get throws { try message.message(920, of: Self.layerFields).map(Specification.TileLayerParams.init) } }
    package var stack: Specification.StackLayerParams? { get throws { try message.message(925, of: Self.layerFields).map(Specification.StackLayerParams.init) } }
    package var gather: Specification.GatherLayerParams? { get throws { try message.message(930, of: Self.layerFields).map(Specification.GatherLayerParams.init) } }
    package var scatter: Specification.ScatterLayerParams? { get throws { try message.message(935, of: Self.layerFields).map(Specification.ScatterLayerParams.init) } }
    package var gatherND: Specification.GatherNDLayerParams? { get throws { try message.message(940, of: Self.layerFields).map(Specification.GatherNDLayerParams.init) } }
    package var scatterND: Specification.ScatterNDLayerParams? { get throws { try message.message(945, of: Self.layerFields).map(Specification.ScatterNDLayerParams.init) } }
    package var softmaxND: Specification.SoftmaxNDLayerParams? { get throws { try message.message(950, of: Self.layerFields).map(Specification.SoftmaxNDLayerParams.init) } }
    package var gatherAlongAxis: Specification.GatherAlongAxisLayerParams? { get throws { try message.message(952, of: Self.layerFields).map(Specification.GatherAlongAxisLayerParams.init) } }
    package var scatterAlongAxis: Specification.ScatterAlongAxisLayerParams? { get throws { try message.message(954, of: Self.layerFields).map(Specification.ScatterAlongAxisLayerParams.init) } }
    package var reverse: Specification.ReverseLayerParams? { get throws { try message.message(960, of: Self.layerFields).map(Specification.ReverseLayerParams.init) } }
    package var reverseSeq: Specification.ReverseSeqLayerParams? { get throws { try message.message(965, of: Self.layerFields).map(Specification.ReverseSeqLayerParams.init) } }
    package var splitND: Specification.SplitNDLayerParams? { get throws { try message.message(975, of: Self.layerFields).map(Specification.SplitNDLayerParams.init) } }
    package var concatND: Specification.ConcatNDLayerParams? { get throws { try message.message(980, of: Self.layerFields).map(Specification.ConcatNDLayerParams.init) } }
    package var transpose: Specification.TransposeLayerParams? { get throws { try message.message(985, of: Self.layerFields).map(Specification.TransposeLayerParams.init) } }
    package var sliceStatic: Specification.SliceStaticLayerParams? { get throws { try message.message(995, of: Self.layerFields).map(Specification.SliceStaticLayerParams.init) } }
    package var sliceDynamic: Specification.SliceDynamicLayerParams? { get throws { try message.message(1000, of: Self.layerFields).map(Specification.SliceDynamicLayerParams.init) } }
    package var slidingWindows: Specification.SlidingWindowsLayerParams? { get throws { try message.message(1005, of: Self.layerFields).map(Specification.SlidingWindowsLayerParams.init) } }
    package var topK: Specification.TopKLayerParams? { get throws { try message.message(1015, of: Self.layerFields).map(Specification.TopKLayerParams.init) } }
    package var argMin: Specification.ArgMinLayerParams? { get throws { try message.message(1020, of: Self.layerFields).map(Specification.ArgMinLayerParams.init) } }
    package var argMax: Specification.ArgMaxLayerParams? { get throws { try message.message(1025, of: Self.layerFields).map(Specification.ArgMaxLayerParams.init) } }
    package var embeddingND: Specification.EmbeddingNDLayerParams? { get throws { try message.message(1040, of: Self.layerFields).map(Specification.EmbeddingNDLayerParams.init) } }
    package var batchedMatmul: Specification.BatchedMatMulLayerParams? { get throws { try message.message(1045, of: Self.layerFields).map(Specification.BatchedMatMulLayerParams.init) } }
    package var getShape: Specification.GetShapeLayerParams? { get throws { try message.message(1065, of: Self.layerFields).map(Specification.GetShapeLayerParams.init) } }
    package var loadConstantND: Specification.LoadConstantNDLayerParams? { get throws { try message.message(1070, of: Self.layerFields).map(Specification.LoadConstantNDLayerParams.init) } }
    package var fillLike: Specification.FillLikeLayerParams? { get throws { try message.message(1080, of: Self.layerFields).map(Specification.FillLikeLayerParams.init) } }
    package var fillStatic: Specification.FillStaticLayerParams? { get throws { try message.message(1085, of: Self.layerFields).map(Specification.FillStaticLayerParams.init) } }
    package var fillDynamic: Specification.FillDynamicLayerParams? { get throws { try message.message(1090, of: Self.layerFields).map(Specification.FillDynamicLayerParams.init) } }
    package var broadcastToLike: Specification.BroadcastToLikeLayerParams? { get throws { try message.message(1100, of: Self.layerFields).map(Specification.BroadcastToLikeLayerParams.init) } }
    package var broadcastToStatic: Specification.BroadcastToStaticLayerParams? { get throws { try message.message(1105, of: Self.layerFields).map(Specification.BroadcastToStaticLayerParams.init) } }
    package var broadcastToDynamic: Specification.BroadcastToDynamicLayerParams? { get throws { try message.message(1110, of: Self.layerFields).map(Specification.BroadcastToDynamicLayerParams.init) } }
    package var squeeze: Specification.SqueezeLayerParams? { get throws { try message.message(1120, of: Self.layerFields).map(Specification.SqueezeLayerParams.init) } }
    package var expandDims: Specification.ExpandDimsLayerParams? { get throws { try message.message(1125, of: Self.layerFields).map(Specification.ExpandDimsLayerParams.init) } }
    package var flattenTo2D: Specification.FlattenTo2DLayerParams? { get throws { try message.message(1130, of: Self.layerFields).map(Specification.FlattenTo2DLayerParams.init) } }
    package var reshapeLike: Specification.ReshapeLikeLayerParams? { get throws { try message.message(1135, of: Self.layerFields).map(Specification.ReshapeLikeLayerParams.init) } }
    package var reshapeStatic: Specification.ReshapeStaticLayerParams? { get throws { try message.message(1140, of: Self.layerFields).map(Specification.ReshapeStaticLayerParams.init) } }
    package var reshapeDynamic: Specification.ReshapeDynamicLayerParams? { get throws { try message.message(1145, of: Self.layerFields).map(Specification.ReshapeDynamicLayerParams.init) } }
    package var rankPreservingReshape: Specification.RankPreservingReshapeLayerParams? { get throws { try message.message(1150, of: Self.layerFields).map(Specification.RankPreservingReshapeLayerParams.init) } }
    package var constantPad: Specification.ConstantPaddingLayerParams? { get throws { try message.message(1155, of: Self.layerFields).map(Specification.ConstantPaddingLayerParams.init) } }
    package var randomNormalLike: Specification.RandomNormalLikeLayerParams? { get throws { try message.message(1170, of: Self.layerFields).map(Specification.RandomNormalLikeLayerParams.init) } }
    package var randomNormalStatic: Specification.RandomNormalStaticLayerParams? { get throws { try message.message(1175, of: Self.layerFields).map(Specification.RandomNormalStaticLayerParams.init) } }
    package var randomNormalDynamic: Specification.RandomNormalDynamicLayerParams? { get throws { try message.message(1180, of: Self.layerFields).map(Specification.RandomNormalDynamicLayerParams.init) } }
    package var randomUniformLike: Specification.RandomUniformLikeLayerParams? { get throws { try message.message(1190, of: Self.layerFields).map(Specification.RandomUniformLikeLayerParams.init) } }
    package var randomUniformStatic: Specification.RandomUniformStaticLayerParams? { get throws { try message.message(1195, of: Self.layerFields).map(Specification.RandomUniformStaticLayerParams.init) } }
    package var randomUniformDynamic: Specification.RandomUniformDynamicLayerParams? { get throws { try message.message(1200, of: Self.layerFields).map(Specification.RandomUniformDynamicLayerParams.init) } }
    package var randomBernoulliLike: Specification.RandomBernoulliLikeLayerParams? { get throws { try message.message(1210, of: Self.layerFields).map(Specification.RandomBernoulliLikeLayerParams.init) } }
    package var randomBernoulliStatic: Specification.RandomBernoulliStaticLayerParams? { get throws { try message.message(1215, of: Self.layerFields).map(Specification.RandomBernoulliStaticLayerParams.init) } }
    package var randomBernoulliDynamic: Specification.RandomBernoulliDynamicLayerParams? { get throws { try message.message(1220, of: Self.layerFields).map(Specification.RandomBernoulliDynamicLayerParams.init) } }
    package var categoricalDistribution: Specification.CategoricalDistributionLayerParams? { get throws { try message.message(1230, of: Self.layerFields).map(Specification.CategoricalDistributionLayerParams.init) } }
    package var reduceL1: Specification.ReduceL1LayerParams? { get throws { try message.message(1250, of: Self.layerFields).map(Specification.ReduceL1LayerParams.init) } }
    package var reduceL2: Specification.ReduceL2LayerParams? { get throws { try message.message(1255, of: Self.layerFields).map(Specification.ReduceL2LayerParams.init) } }
    package var reduceMax: Specification.ReduceMaxLayerParams? { get throws { try message.message(1260, of: Self.layerFields).map(Specification.ReduceMaxLayerParams.init) } }
    package var reduceMin: Specification.ReduceMinLayerParams? { get throws { try message.message(1265, of: Self.layerFields).map(Specification.ReduceMinLayerParams.init) } }
    package var reduceSum: Specification.ReduceSumLayerParams? { get throws { try message.message(1270, of: Self.layerFields).map(Specification.ReduceSumLayerParams.init) } }
    package var reduceProd: Specification.ReduceProdLayerParams? { get throws { try message.message(1275, of: Self.layerFields).map(Specification.ReduceProdLayerParams.init) } }
    package var reduceMean: Specification.ReduceMeanLayerParams? { get throws { try message.message(1280, of: Self.layerFields).map(Specification.ReduceMeanLayerParams.init) } }
    package var reduceLogSum: Specification.ReduceLogSumLayerParams? { get throws { try message.message(1285, of: Self.layerFields).map(Specification.ReduceLogSumLayerParams.init) } }
    package var reduceSumSquare: Specification.ReduceSumSquareLayerParams? { get throws { try message.message(1290, of: Self.layerFields).map(Specification.ReduceSumSquareLayerParams.init) } }
    package var reduceLogSumExp: Specification.ReduceLogSumExpLayerParams? { get throws { try message.message(1295, of: Self.layerFields).map(Specification.ReduceLogSumExpLayerParams.init) } }
    package var whereNonZero: Specification.WhereNonZeroLayerParams? { get throws { try message.message(1313, of: Self.layerFields).map(Specification.WhereNonZeroLayerParams.init) } }
    package var matrixBandPart: Specification.MatrixBandPartLayerParams? { get throws { try message.message(1315, of: Self.layerFields).map(Specification.MatrixBandPartLayerParams.init) } }
    package var lowerTriangular: Specification.LowerTriangularLayerParams? { get throws { try message.message(1320, of: Self.layerFields).map(Specification.LowerTriangularLayerParams.init) } }
    package var upperTriangular: Specification.UpperTriangularLayerParams? { get throws { try message.message(1325, of: Self.layerFields).map(Specification.UpperTriangularLayerParams.init) } }
    package var whereBroadcastable: Specification.WhereBroadcastableLayerParams? { get throws { try message.message(1330, of: Self.layerFields).map(Specification.WhereBroadcastableLayerParams.init) } }
    package var layerNormalization: Specification.LayerNormalizationLayerParams? { get throws { try message.message(1350, of: Self.layerFields).map(Specification.LayerNormalizationLayerParams.init) } }
    package var nonMaximumSuppression: Specification.NonMaximumSuppressionLayerParams? { get throws { try message.message(1400, of: Self.layerFields).map(Specification.NonMaximumSuppressionLayerParams.init) } }
    package var oneHot: Specification.OneHotLayerParams? { get throws { try message.message(1450, of: Self.layerFields).map(Specification.OneHotLayerParams.init) } }
    package var cumSum: Specification.CumSumLayerParams? { get throws { try message.message(1455, of: Self.layerFields).map(Specification.CumSumLayerParams.init) } }
    package var clampedReLU: Specification.ClampedReLULayerParams? { get throws { try message.message(1460, of: Self.layerFields).map(Specification.ClampedReLULayerParams.init) } }
    package var argSort: Specification.ArgSortLayerParams? { get throws { try message.message(1461, of: Self.layerFields).map(Specification.ArgSortLayerParams.init) } }
    package var pooling3d: Specification.Pooling3DLayerParams? { get throws { try message.message(1465, of: Self.layerFields).map(Specification.Pooling3DLayerParams.init) } }
    package var globalPooling3d: Specification.GlobalPooling3DLayerParams? { get throws { try message.message(1466, of: Self.layerFields).map(Specification.GlobalPooling3DLayerParams.init) } }
    package var sliceBySize: Specification.SliceBySizeLayerParams? { get throws { try message.message(1470, of: Self.layerFields).map(Specification.SliceBySizeLayerParams.init) } }
    package var convolution3d: Specification.Convolution3DLayerParams? { get throws { try message.message(1471, of: Self.layerFields).map(Specification.Convolution3DLayerParams.init) } }
    static let layerFields = [100, 120, 130, 140, 150, 160, 165, 170, 175, 180, 190, 200, 210, 211, 212, 220, 230, 231, 240, 245, 250, 260, 261, 270, 280, 290, 300, 301, 310, 320, 330, 340, 345, 350, 400, 410, 420, 430, 500, 600, 605, 615, 620, 625, 635, 640, 660, 665, 670, 680, 685, 700, 710, 715, 720, 730, 735, 740, 750, 755, 760, 770, 775, 780, 790, 795, 815, 820, 825, 827, 830, 832, 840, 845, 850, 855, 865, 870, 875, 880, 885, 890, 895, 900, 905, 920, 925, 930, 935, 940, 945, 950, 952, 954, 960, 965, 975, 980, 985, 995, 1000, 1005, 1015, 1020, 1025, 1040, 1045, 1065, 1070, 1080, 1085, 1090, 1100, 1105, 1110, 1120, 1125, 1130, 1135, 1140, 1145, 1150, 1155, 1170, 1175, 1180, 1190, 1195, 1200, 1210, 1215, 1220, 1230, 1250, 1255, 1260, 1265, 1270, 1275, 1280, 1285, 1290, 1295, 1313, 1315, 1320, 1325, 1330, 1350, 1400, 1450, 1455, 1460, 1461, 1465, 1466, 1470, 1471]
    package enum OneOfLayer: Sendable {
      case convolution(Specification.ConvolutionLayerParams)
      case pooling(Specification.PoolingLayerParams)
      case activation(Specification.ActivationParams)
      case innerProduct(Specification.InnerProductLayerParams)
      case embedding(Specification.EmbeddingLayerParams)
      case batchnorm(Specification.BatchnormLayerParams)
      case mvn(Specification.MeanVarianceNormalizeLayerParams)
      case l2normalize(Specification.L2NormalizeLayerParams)
      case softmax(Specification.SoftmaxLayerParams)
      case lrn(Specification.LRNLayerParams)
      case crop(Specification.CropLayerParams)
      case padding(Specification.PaddingLayerParams)
      case upsample(Specification.UpsampleLayerParams)
      case resizeBilinear(Specification.ResizeBilinearLayerParams)
      case cropResize(Specification.CropResizeLayerParams)
      case unary(Specification.UnaryFunctionLayerParams)
      case add(Specification.AddLayerParams)
      case multiply(Specification.MultiplyLayerParams)
      case average(Specification.AverageLayerParams)
      case scale(Specification.ScaleLayerParams)
      case bias(Specification.BiasLayerParams)
      case max(Specification.MaxLayerParams)
      case min(Specification.MinLayerParams)
      case dot(Specification.DotProductLayerParams)
      case reduce(Specification.ReduceLayerParams)
      case loadConstant(Specification.LoadConstantLayerParams)
      case reshape(Specification.ReshapeLayerParams)
      case flatten(Specification.FlattenLayerParams)
      case permute(Specification.PermuteLayerParams)
      case concat(Specification.ConcatLayerParams)
      case split(Specification.SplitLayerParams)
      case sequenceRepeat(Specification.SequenceRepeatLayerParams)
      case reorganizeData(Specification.ReorganizeDataLayerParams)
      case slice(Specification.SliceLayerParams)
      case simpleRecurrent(Specification.SimpleRecurrentLayerParams)
      case gru(Specification.GRULayerParams)
      case uniDirectionalLSTM(Specification.UniDirectionalLSTMLayerParams)
      case biDirectionalLSTM(Specification.BiDirectionalLSTMLayerParams)
      case custom(Specification.CustomLayerParams)
      case copy(Specification.CopyLayerParams)
      case branch(Specification.BranchLayerParams)
      case loop(Specification.LoopLayerParams)
      case loopBreak(Specification.LoopBreakLayerParams)
      case loopContinue(Specification.LoopContinueLayerParams)
      case rangeStatic(Specification.RangeStaticLayerParams)
      case rangeDynamic(Specification.RangeDynamicLayerParams)
      case clip(Specification.ClipLayerParams)
      case ceil(Specification.CeilLayerParams)
      case floor(Specification.FloorLayerParams)
      case sign(Specification.SignLayerParams)
      case round(Specification.RoundLayerParams)
      case exp2(Specification.Exp2LayerParams)
      case sin(Specification.SinLayerParams)
      case cos(Specification.CosLayerParams)
      case tan(Specification.TanLayerParams)
      case asin(Specification.AsinLayerParams)
      case acos(Specification.AcosLayerParams)
      case atan(Specification.AtanLayerParams)
      case sinh(Specification.SinhLayerParams)
      case cosh(Specification.CoshLayerParams)
      case tanh(Specification.TanhLayerParams)
      case asinh(Specification.AsinhLayerParams)
      case acosh(Specification.AcoshLayerParams)
      case atanh(Specification.AtanhLayerParams)
      case erf(Specification.ErfLayerParams)
      case gelu(Specification.GeluLayerParams)
      case equal(Specification.EqualLayerParams)
      case notEqual(Specification.NotEqualLayerParams)
      case lessThan(Specification.LessThanLayerParams)
      case lessEqual(Specification.LessEqualLayerParams)
      case greaterThan(Specification.GreaterThanLayerParams)
      case greaterEqual(Specification.GreaterEqualLayerParams)
      case logicalOr(Specification.LogicalOrLayerParams)
      case logicalXor(Specification.LogicalXorLayerParams)
      case logicalNot(Specification.LogicalNotLayerParams)
      case logicalAnd(Specification.LogicalAndLayerParams)
      case modBroadcastable(Specification.ModBroadcastableLayerParams)
      case minBroadcastable(Specification.MinBroadcastableLayerParams)
      case maxBroadcastable(Specification.MaxBroadcastableLayerParams)
      case addBroadcastable(Specification.AddBroadcastableLayerParams)
      case powBroadcastable(Specification.PowBroadcastableLayerParams)
      case divideBroadcastable(Specification.DivideBroadcastableLayerParams)
      case floorDivBroadcastable(Specification.FloorDivBroadcastableLayerParams)
      case multiplyBroadcastable(Specification.MultiplyBroadcastableLayerParams)
      case subtractBroadcastable(Specification.SubtractBroadcastableLayerParams)
      case tile(Specification.TileLayerParams)
      case stack(Specification.StackLayerParams)
      case gather(Specification.GatherLayerParams)
      case scatter(Specification.ScatterLayerParams)
      case gatherND(Specification.GatherNDLayerParams)
      case scatterND(Specification.ScatterNDLayerParams)
      case softmaxND(Specification.SoftmaxNDLayerParams)
      case gatherAlongAxis(Specification.GatherAlongAxisLayerParams)
      case scatterAlongAxis(Specification.ScatterAlongAxisLayerParams)
      case reverse(Specification.ReverseLayerParams)
      case reverseSeq(Specification.ReverseSeqLayerParams)
      case splitND(Specification.SplitNDLayerParams)
      case concatND(Specification.ConcatNDLayerParams)
      case transpose(Specification.TransposeLayerParams)
      case sliceStatic(Specification.SliceStaticLayerParams)
      case sliceDynamic(Specification.SliceDynamicLayerParams)
      case slidingWindows(Specification.SlidingWindowsLayerParams)
      case topK(Specification.TopKLayerParams)
      case argMin(Specification.ArgMinLayerParams)
      case argMax(Specification.ArgMaxLayerParams)
      case embeddingND(Specification.EmbeddingNDLayerParams)
      case batchedMatmul(Specification.BatchedMatMulLayerParams)
      case getShape(Specification.GetShapeLayerParams)
      case loadConstantND(Specification.LoadConstantNDLayerParams)
      case fillLike(Specification.FillLikeLayerParams)
      case fillStatic(Specification.FillStaticLayerParams)
      case fillDynamic(Specification.FillDynamicLayerParams)
      case broadcastToLike(Specification.BroadcastToLikeLayerParams)
      case broadcastToStatic(Specification.BroadcastToStaticLayerParams)
      case broadcastToDynamic(Specification.BroadcastToDynamicLayerParams)
      case squeeze(Specification.SqueezeLayerParams)
      case expandDims(Specification.ExpandDimsLayerParams)
      case flattenTo2D(Specification.FlattenTo2DLayerParams)
      case reshapeLike(Specification.ReshapeLikeLayerParams)
      case reshapeStatic(Specification.ReshapeStaticLayerParams)
      case reshapeDynamic(Specification.ReshapeDynamicLayerParams)
      case rankPreservingReshape(Specification.RankPreservingReshapeLayerParams)
      case constantPad(Specification.ConstantPaddingLayerParams)
      case randomNormalLike(Specification.RandomNormalLikeLayerParams)
      case randomNormalStatic(Specification.RandomNormalStaticLayerParams)
      case randomNormalDynamic(Specification.RandomNormalDynamicLayerParams)
      case randomUniformLike(Specification.RandomUniformLikeLayerParams)
      case randomUniformStatic(Specification.RandomUniformStaticLayerParams)
      case randomUniformDynamic(Specification.RandomUniformDynamicLayerParams)
      case randomBernoulliLike(Specification.RandomBernoulliLikeLayerParams)
      case randomBernoulliStatic(Specification.RandomBernoulliStaticLayerParams)
      case randomBernoulliDynamic(Specification.RandomBernoulliDynamicLayerParams)
      case categoricalDistribution(Specification.CategoricalDistributionLayerParams)
      case reduceL1(Specification.ReduceL1LayerParams)
      case reduceL2(Specification.ReduceL2LayerParams)
      case reduceMax(Specification.ReduceMaxLayerParams)
      case reduceMin(Specification.ReduceMinLayerParams)
      case reduceSum(Specification.ReduceSumLayerParams)
      case reduceProd(Specification.ReduceProdLayerParams)
      case reduceMean(Specification.ReduceMeanLayerParams)
      case reduceLogSum(Specification.ReduceLogSumLayerParams)
      case reduceSumSquare(Specification.ReduceSumSquareLayerParams)
      case reduceLogSumExp(Specification.ReduceLogSumExpLayerParams)
      case whereNonZero(Specification.WhereNonZeroLayerParams)
      case matrixBandPart(Specification.MatrixBandPartLayerParams)
      case lowerTriangular(Specification.LowerTriangularLayerParams)
      case upperTriangular(Specification.UpperTriangularLayerParams)
      case whereBroadcastable(Specification.WhereBroadcastableLayerParams)
      case layerNormalization(Specification.LayerNormalizationLayerParams)
      case nonMaximumSuppression(Specification.NonMaximumSuppressionLayerParams)
      case oneHot(Specification.OneHotLayerParams)
      case cumSum(Specification.CumSumLayerParams)
      case clampedReLU(Specification.ClampedReLULayerParams)
      case argSort(Specification.ArgSortLayerParams)
      case pooling3d(Specification.Pooling3DLayerParams)
      case globalPooling3d(Specification.GlobalPooling3DLayerParams)
      case sliceBySize(Specification.SliceBySizeLayerParams)
      case convolution3d(Specification.Convolution3DLayerParams)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(100, "convolution", .convolution(Specification.ConvolutionLayerParams(Message()))),
          OneOfMember(120, "pooling", .pooling(Specification.PoolingLayerParams(Message()))),
          OneOfMember(130, "activation", .activation(Specification.ActivationParams(Message()))),
          OneOfMember(140, "innerProduct", .innerProduct(Specification.InnerProductLayerParams(Message()))),
          OneOfMember(150, "embedding", .embedding(Specification.EmbeddingLayerParams(Message()))),
          OneOfMember(160, "batchnorm", .batchnorm(Specification.BatchnormLayerParams(Message()))),
          OneOfMember(165, "mvn", .mvn(Specification.MeanVarianceNormalizeLayerParams(Message()))),
          OneOfMember(170, "l2normalize", .l2normalize(Specification.L2NormalizeLayerParams(Message()))),
          OneOfMember(175, "softmax", .softmax(Specification.SoftmaxLayerParams(Message()))),
          OneOfMember(180, "lrn", .lrn(Specification.LRNLayerParams(Message()))),
          OneOfMember(190, "crop", .crop(Specification.CropLayerParams(Message()))),
          OneOfMember(200, "padding", .padding(Specification.PaddingLayerParams(Message()))),
          OneOfMember(210, "upsample", .upsample(Specification.UpsampleLayerParams(Message()))),
          OneOfMember(211, "resizeBilinear", .resizeBilinear(Specification.ResizeBilinearLayerParams(Message()))),
          OneOfMember(212, "cropResize", .cropResize(Specification.CropResizeLayerParams(Message()))),
          OneOfMember(220, "unary", .unary(Specification.UnaryFunctionLayerParams(Message()))),
          OneOfMember(230, "add", .add(Specification.AddLayerParams(Message()))),
          OneOfMember(231, "multiply", .multiply(Specification.MultiplyLayerParams(Message()))),
          OneOfMember(240, "average", .average(Specification.AverageLayerParams(Message()))),
          OneOfMember(245, "scale", .scale(Specification.ScaleLayerParams(Message()))),
          OneOfMember(250, "bias", .bias(Specification.BiasLayerParams(Message()))),
          OneOfMember(260, "max", .max(Specification.MaxLayerParams(Message()))),
          OneOfMember(261, "min", .min(Specification.MinLayerParams(Message()))),
          OneOfMember(270, "dot", .dot(Specification.DotProductLayerParams(Message()))),
          OneOfMember(280, "reduce", .reduce(Specification.ReduceLayerParams(Message()))),
          OneOfMember(290, "loadConstant", .loadConstant(Specification.LoadConstantLayerParams(Message()))),
          OneOfMember(300, "reshape", .reshape(Specification.ReshapeLayerParams(Message()))),
          OneOfMember(301, "flatten", .flatten(Specification.FlattenLayerParams(Message()))),
          OneOfMember(310, "permute", .permute(Specification.PermuteLayerParams(Message()))),
          OneOfMember(320, "concat", .concat(Specification.ConcatLayerParams(Message()))),
          OneOfMember(330, "split", .split(Specification.SplitLayerParams(Message()))),
          OneOfMember(340, "sequenceRepeat", .sequenceRepeat(Specification.SequenceRepeatLayerParams(Message()))),
          OneOfMember(345, "reorganizeData", .reorganizeData(Specification.ReorganizeDataLayerParams(Message()))),
          OneOfMember(350, "slice", .slice(Specification.SliceLayerParams(Message()))),
          OneOfMember(400, "simpleRecurrent", .simpleRecurrent(Specification.SimpleRecurrentLayerParams(Message()))),
          OneOfMember(410, "gru", .gru(Specification.GRULayerParams(Message()))),
          OneOfMember(420, "uniDirectionalLSTM", .uniDirectionalLSTM(Specification.UniDirectionalLSTMLayerParams(Message()))),
          OneOfMember(430, "biDirectionalLSTM", .biDirectionalLSTM(Specification.BiDirectionalLSTMLayerParams(Message()))),
          OneOfMember(500, "custom", .custom(Specification.CustomLayerParams(Message()))),
          OneOfMember(600, "copy", .copy(Specification.CopyLayerParams(Message()))),
          OneOfMember(605, "branch", .branch(Specification.BranchLayerParams(Message()))),
          OneOfMember(615, "loop", .loop(Specification.LoopLayerParams(Message()))),
          OneOfMember(620, "loopBreak", .loopBreak(Specification.LoopBreakLayerParams(Message()))),
          OneOfMember(625, "loopContinue", .loopContinue(Specification.LoopContinueLayerParams(Message()))),
          OneOfMember(635, "rangeStatic", .rangeStatic(Specification.RangeStaticLayerParams(Message()))),
          OneOfMember(640, "rangeDynamic", .rangeDynamic(Specification.RangeDynamicLayerParams(Message()))),
          OneOfMember(660, "clip", .clip(Specification.ClipLayerParams(Message()))),
          OneOfMember(665, "ceil", .ceil(Specification.CeilLayerParams(Message()))),
          OneOfMember(670, "floor", .floor(Specification.FloorLayerParams(Message()))),
          OneOfMember(680, "sign", .sign(Specification.SignLayerParams(Message()))),
          OneOfMember(685, "round", .round(Specification.RoundLayerParams(Message()))),
          OneOfMember(700, "exp2", .exp2(Specification.Exp2LayerParams(Message()))),
          OneOfMember(710, "sin", .sin(Specification.SinLayerParams(Message()))),
          OneOfMember(715, "cos", .cos(Specification.CosLayerParams(Message()))),
          OneOfMember(720, "tan", .tan(Specification.TanLayerParams(Message()))),
          OneOfMember(730, "asin", .asin(Specification.AsinLayerParams(Message()))),
          OneOfMember(735, "acos", .acos(Specification.AcosLayerParams(Message()))),
          OneOfMember(740, "atan", .atan(Specification.AtanLayerParams(Message()))),
          OneOfMember(750, "sinh", .sinh(Specification.SinhLayerParams(Message()))),
          OneOfMember(755, "cosh", .cosh(Specification.CoshLayerParams(Message()))),
          OneOfMember(760, "tanh", .tanh(Specification.TanhLayerParams(Message()))),
          OneOfMember(770, "asinh", .asinh(Specification.AsinhLayerParams(Message()))),
          OneOfMember(775, "acosh", .acosh(Specification.AcoshLayerParams(Message()))),
          OneOfMember(780, "atanh", .atanh(Specification.AtanhLayerParams(Message()))),
          OneOfMember(790, "erf", .erf(Specification.ErfLayerParams(Message()))),
          OneOfMember(795, "gelu", .gelu(Specification.GeluLayerParams(Message()))),
          OneOfMember(815, "equal", .equal(Specification.EqualLayerParams(Message()))),
          OneOfMember(820, "notEqual", .notEqual(Specification.NotEqualLayerParams(Message()))),
          OneOfMember(825, "lessThan", .lessThan(Specification.LessThanLayerParams(Message()))),
          OneOfMember(827, "lessEqual", .lessEqual(Specification.LessEqualLayerParams(Message()))),
          OneOfMember(830, "greaterThan", .greaterThan(Specification.GreaterThanLayerParams(Message()))),
          OneOfMember(832, "greaterEqual", .greaterEqual(Specification.GreaterEqualLayerParams(Message()))),
          OneOfMember(840, "logicalOr", .logicalOr(Specification.LogicalOrLayerParams(Message()))),
          OneOfMember(845, "logicalXor", .logicalXor(Specification.LogicalXorLayerParams(Message()))),
          OneOfMember(850, "logicalNot", .logicalNot(Specification.LogicalNotLayerParams(Message()))),
          OneOfMember(855, "logicalAnd", .logicalAnd(Specification.LogicalAndLayerParams(Message()))),
          OneOfMember(865, "modBroadcastable", .modBroadcastable(Specification.ModBroadcastableLayerParams(Message()))),
          OneOfMember(870, "minBroadcastable", .minBroadcastable(Specification.MinBroadcastableLayerParams(Message()))),
          OneOfMember(875, "maxBroadcastable", .maxBroadcastable(Specification.MaxBroadcastableLayerParams(Message()))),
          OneOfMember(880, "addBroadcastable", .addBroadcastable(Specification.AddBroadcastableLayerParams(Message()))),
          OneOfMember(885, "powBroadcastable", .powBroadcastable(Specification.PowBroadcastableLayerParams(Message()))),
          OneOfMember(890, "divideBroadcastable", .divideBroadcastable(Specification.DivideBroadcastableLayerParams(Message()))),
          OneOfMember(895, "floorDivBroadcastable", .floorDivBroadcastable(Specification.FloorDivBroadcastableLayerParams(Message()))),
          OneOfMember(900, "multiplyBroadcastable", .multiplyBroadcastable(Specification.MultiplyBroadcastableLayerParams(Message()))),
          OneOfMember(905, "subtractBroadcastable", .subtractBroadcastable(Specification.SubtractBroadcastableLayerParams(Message()))),
          OneOfMember(920, "tile", .tile(Specification.TileLayerParams(Message()))),
          OneOfMember(925, "stack", .stack(Specification.StackLayerParams(Message()))),
          OneOfMember(930, "gather", .gather(Specification.GatherLayerParams(Message()))),
          OneOfMember(935, "scatter", .scatter(Specification.ScatterLayerParams(Message()))),
          OneOfMember(940, "gatherND", .gatherND(Specification.GatherNDLayerParams(Message()))),
          OneOfMember(945, "scatterND", .scatterND(Specification.ScatterNDLayerParams(Message()))),
          OneOfMember(950, "softmaxND", .softmaxND(Specification.SoftmaxNDLayerParams(Message()))),
          OneOfMember(952, "gatherAlongAxis", .gatherAlongAxis(Specification.GatherAlongAxisLayerParams(Message()))),
          OneOfMember(954, "scatterAlongAxis", .scatterAlongAxis(Specification.ScatterAlongAxisLayerParams(Message()))),
          OneOfMember(960, "reverse", .reverse(Specification.ReverseLayerParams(Message()))),
          OneOfMember(965, "reverseSeq", .reverseSeq(Specification.ReverseSeqLayerParams(Message()))),
          OneOfMember(975, "splitND", .splitND(Specification.SplitNDLayerParams(Message()))),
          OneOfMember(980, "concatND", .concatND(Specification.ConcatNDLayerParams(Message()))),
          OneOfMember(985, "transpose", .transpose(Specification.TransposeLayerParams(Message()))),
          OneOfMember(995, "sliceStatic", .sliceStatic(Specification.SliceStaticLayerParams(Message()))),
          OneOfMember(1000, "sliceDynamic", .sliceDynamic(Specification.SliceDynamicLayerParams(Message()))),
          OneOfMember(1005, "slidingWindows", .slidingWindows(Specification.SlidingWindowsLayerParams(Message()))),
          OneOfMember(1015, "topK", .topK(Specification.TopKLayerParams(Message()))),
          OneOfMember(1020, "argMin", .argMin(Specification.ArgMinLayerParams(Message()))),
          OneOfMember(1025, "argMax", .argMax(Specification.ArgMaxLayerParams(Message()))),
          OneOfMember(1040, "embeddingND", .embeddingND(Specification.EmbeddingNDLayerParams(Message()))),
          OneOfMember(1045, "batchedMatmul", .batchedMatmul(Specification.BatchedMatMulLayerParams(Message()))),
          OneOfMember(1065, "getShape", .getShape(Specification.GetShapeLayerParams(Message()))),
          OneOfMember(1070, "loadConstantND", .loadConstantND(Specification.LoadConstantNDLayerParams(Message()))),
          OneOfMember(1080, "fillLike", .fillLike(Specification.FillLikeLayerParams(Message()))),
          OneOfMember(1085, "fillStatic", .fillStatic(Specification.FillStaticLayerParams(Message()))),
          OneOfMember(1090, "fillDynamic", .fillDynamic(Specification.FillDynamicLayerParams(Message()))),
          OneOfMember(1100, "broadcastToLike", .broadcastToLike(Specification.BroadcastToLikeLayerParams(Message()))),
          OneOfMember(1105, "broadcastToStatic", .broadcastToStatic(Specification.BroadcastToStaticLayerParams(Message()))),
          OneOfMember(1110, "broadcastToDynamic", .broadcastToDynamic(Specification.BroadcastToDynamicLayerParams(Message()))),
          OneOfMember(1120, "squeeze", .squeeze(Specification.SqueezeLayerParams(Message()))),
          OneOfMember(1125, "expandDims", .expandDims(Specification.ExpandDimsLayerParams(Message()))),
          OneOfMember(1130, "flattenTo2D", .flattenTo2D(Specification.FlattenTo2DLayerParams(Message()))),
          OneOfMember(1135, "reshapeLike", .reshapeLike(Specification.ReshapeLikeLayerParams(Message()))),
          OneOfMember(1140, "reshapeStatic", .reshapeStatic(Specification.ReshapeStaticLayerParams(Message()))),
          OneOfMember(1145, "reshapeDynamic", .reshapeDynamic(Specification.ReshapeDynamicLayerParams(Message()))),
          OneOfMember(1150, "rankPreservingReshape", .rankPreservingReshape(Specification.RankPreservingReshapeLayerParams(Message()))),
          OneOfMember(1155, "constantPad", .constantPad(Specification.ConstantPaddingLayerParams(Message()))),
          OneOfMember(1170, "randomNormalLike", .randomNormalLike(Specification.RandomNormalLikeLayerParams(Message()))),
          OneOfMember(1175, "randomNormalStatic", .randomNormalStatic(Specification.RandomNormalStaticLayerParams(Message()))),
          OneOfMember(1180, "randomNormalDynamic", .randomNormalDynamic(Specification.RandomNormalDynamicLayerParams(Message()))),
          OneOfMember(1190, "randomUniformLike", .randomUniformLike(Specification.RandomUniformLikeLayerParams(Message()))),
          OneOfMember(1195, "randomUniformStatic", .randomUniformStatic(Specification.RandomUniformStaticLayerParams(Message()))),
          OneOfMember(1200, "randomUniformDynamic", .randomUniformDynamic(Specification.RandomUniformDynamicLayerParams(Message()))),
          OneOfMember(1210, "randomBernoulliLike", .randomBernoulliLike(Specification.RandomBernoulliLikeLayerParams(Message()))),
          OneOfMember(1215, "randomBernoulliStatic", .randomBernoulliStatic(Specification.RandomBernoulliStaticLayerParams(Message()))),
          OneOfMember(1220, "randomBernoulliDynamic", .randomBernoulliDynamic(Specification.RandomBernoulliDynamicLayerParams(Message()))),
          OneOfMember(1230, "categoricalDistribution", .categoricalDistribution(Specification.CategoricalDistributionLayerParams(Message()))),
          OneOfMember(1250, "reduceL1", .reduceL1(Specification.ReduceL1LayerParams(Message()))),
          OneOfMember(1255, "reduceL2", .reduceL2(Specification.ReduceL2LayerParams(Message()))),
          OneOfMember(1260, "reduceMax", .reduceMax(Specification.ReduceMaxLayerParams(Message()))),
          OneOfMember(1265, "reduceMin", .reduceMin(Specification.ReduceMinLayerParams(Message()))),
          OneOfMember(1270, "reduceSum", .reduceSum(Specification.ReduceSumLayerParams(Message()))),
          OneOfMember(1275, "reduceProd", .reduceProd(Specification.ReduceProdLayerParams(Message()))),
          OneOfMember(1280, "reduceMean", .reduceMean(Specification.ReduceMeanLayerParams(Message()))),
          OneOfMember(1285, "reduceLogSum", .reduceLogSum(Specification.ReduceLogSumLayerParams(Message()))),
          OneOfMember(1290, "reduceSumSquare", .reduceSumSquare(Specification.ReduceSumSquareLayerParams(Message()))),
          OneOfMember(1295, "reduceLogSumExp", .reduceLogSumExp(Specification.ReduceLogSumExpLayerParams(Message()))),
          OneOfMember(1313, "whereNonZero", .whereNonZero(Specification.WhereNonZeroLayerParams(Message()))),
          OneOfMember(1315, "matrixBandPart", .matrixBandPart(Specification.MatrixBandPartLayerParams(Message()))),
          OneOfMember(1320, "lowerTriangular", .lowerTriangular(Specification.LowerTriangularLayerParams(Message()))),
          OneOfMember(1325, "upperTriangular", .upperTriangular(Specification.UpperTriangularLayerParams(Message()))),
          OneOfMember(1330, "whereBroadcastable", .whereBroadcastable(Specification.WhereBroadcastableLayerParams(Message()))),
          OneOfMember(1350, "layerNormalization", .layerNormalization(Specification.LayerNormalizationLayerParams(Message()))),
          OneOfMember(1400, "NonMaximumSuppression", .nonMaximumSuppression(Specification.NonMaximumSuppressionLayerParams(Message()))),
          OneOfMember(1450, "oneHot", .oneHot(Specification.OneHotLayerParams(Message()))),
          OneOfMember(1455, "cumSum", .cumSum(Specification.CumSumLayerParams(Message()))),
          OneOfMember(1460, "clampedReLU", .clampedReLU(Specification.ClampedReLULayerParams(Message()))),
          OneOfMember(1461, "argSort", .argSort(Specification.ArgSortLayerParams(Message()))),
          OneOfMember(1465, "pooling3d", .pooling3d(Specification.Pooling3DLayerParams(Message()))),
          OneOfMember(1466, "globalPooling3d", .globalPooling3d(Specification.GlobalPooling3DLayerParams(Message()))),
          OneOfMember(1470, "sliceBySize", .sliceBySize(Specification.SliceBySizeLayerParams(Message()))),
          OneOfMember(1471, "convolution3d", .convolution3d(Specification.Convolution3DLayerParams(Message()))),
        ]
      }
    }
    package var layer: OneOfLayer? {
      get throws {
        guard let member = try message.member(of: Self.layerFields) else { return nil }
        switch member.number {
        case 100: return .convolution(Specification.ConvolutionLayerParams(try member.message()))
        case 120: return .pooling(Specification.PoolingLayerParams(try member.message()))
        case 130: return .activation(Specification.ActivationParams(try member.message()))
        case 140: return .innerProduct(Specification.InnerProductLayerParams(try member.message()))
        case 150: return .embedding(Specification.EmbeddingLayerParams(try member.message()))
        case 160: return .batchnorm(Specification.BatchnormLayerParams(try member.message()))
        case 165: return .mvn(Specification.MeanVarianceNormalizeLayerParams(try member.message()))
        case 170: return .l2normalize(Specification.L2NormalizeLayerParams(try member.message()))
        case 175: return .softmax(Specification.SoftmaxLayerParams(try member.message()))
        case 180: return .lrn(Specification.LRNLayerParams(try member.message()))
        case 190: return .crop(Specification.CropLayerParams(try member.message()))
        case 200: return .padding(Specification.PaddingLayerParams(try member.message()))
        case 210: return .upsample(Specification.UpsampleLayerParams(try member.message()))
        case 211: return .resizeBilinear(Specification.ResizeBilinearLayerParams(try member.message()))
        case 212: return .cropResize(Specification.CropResizeLayerParams(try member.message()))
        case 220: return .unary(Specification.UnaryFunctionLayerParams(try member.message()))
        case 230: return .add(Specification.AddLayerParams(try member.message()))
        case 231: return .multiply(Specification.MultiplyLayerParams(try member.message()))
        case 240: return .average(Specification.AverageLayerParams(try member.message()))
        case 245: return .scale(Specification.ScaleLayerParams(try member.message()))
        case 250: return .bias(Specification.BiasLayerParams(try member.message()))
        case 260: return .max(Specification.MaxLayerParams(try member.message()))
        case 261: return .min(Specification.MinLayerParams(try member.message()))
        case 270: return .dot(Specification.DotProductLayerParams(try member.message()))
        case 280: return .reduce(Specification.ReduceLayerParams(try member.message()))
        case 290: return .loadConstant(Specification.LoadConstantLayerParams(try member.message()))
        case 300: return .reshape(Specification.ReshapeLayerParams(try member.message()))
        case 301: return .flatten(Specification.FlattenLayerParams(try member.message()))
        case 310: return .permute(Specification.PermuteLayerParams(try member.message()))
        case 320: return .concat(Specification.ConcatLayerParams(try member.message()))
        case 330: return .split(Specification.SplitLayerParams(try member.message()))
        case 340: return .sequenceRepeat(Specification.SequenceRepeatLayerParams(try member.message()))
        case 345: return .reorganizeData(Specification.ReorganizeDataLayerParams(try member.message()))
        case 350: return .slice(Specification.SliceLayerParams(try member.message()))
        case 400: return .simpleRecurrent(Specification.SimpleRecurrentLayerParams(try member.message()))
        case 410: return .gru(Specification.GRULayerParams(try member.message()))
        case 420: return .uniDirectionalLSTM(Specification.UniDirectionalLSTMLayerParams(try member.message()))
        case 430: return .biDirectionalLSTM(Specification.BiDirectionalLSTMLayerParams(try member.message()))
        case 500: return .custom(Specification.CustomLayerParams(try member.message()))
        case 600: return .copy(Specification.CopyLayerParams(try member.message()))
        case 605: return .branch(Specification.BranchLayerParams(try member.message()))
        case 615: return .loop(Specification.LoopLayerParams(try member.message()))
        case 620: return .loopBreak(Specification.LoopBreakLayerParams(try member.message()))
        case 625: return .loopContinue(Specification.LoopContinueLayerParams(try member.message()))
        case 635: return .rangeStatic(Specification.RangeStaticLayerParams(try member.message()))
        case 640: return .rangeDynamic(Specification.RangeDynamicLayerParams(try member.message()))
        case 660: return .clip(Specification.ClipLayerParams(try member.message()))
        case 665: return .ceil(Specification.CeilLayerParams(try member.message()))
        case 670: return .floor(Specification.FloorLayerParams(try member.message()))
        case 680: return .sign(Specification.SignLayerParams(try member.message()))
        case 685: return .round(Specification.RoundLayerParams(try member.message()))
        case 700: return .exp2(Specification.Exp2LayerParams(try member.message()))
        case 710: return .sin(Specification.SinLayerParams(try member.message()))
        case 715: return .cos(Specification.CosLayerParams(try member.message()))
        case 720: return .tan(Specification.TanLayerParams(try member.message()))
        case 730: return .asin(Specification.AsinLayerParams(try member.message()))
        case 735: return .acos(Specification.AcosLayerParams(try member.message()))
        case 740: return .atan(Specification.AtanLayerParams(try member.message()))
        case 750: return .sinh(Specification.SinhLayerParams(try member.message()))
        case 755: return .cosh(Specification.CoshLayerParams(try member.message()))
        case 760: return .tanh(Specification.TanhLayerParams(try member.message()))
        case 770: return .asinh(Specification.AsinhLayerParams(try member.message()))
        case 775: return .acosh(Specification.AcoshLayerParams(try member.message()))
        case 780: return .atanh(Specification.AtanhLayerParams(try member.message()))
        case 790: return .erf(Specification.ErfLayerParams(try member.message()))
        case 795: return .gelu(Specification.GeluLayerParams(try member.message()))
        case 815: return .equal(Specification.EqualLayerParams(try member.message()))
        case 820: return .notEqual(Specification.NotEqualLayerParams(try member.message()))
        case 825: return .lessThan(Specification.LessThanLayerParams(try member.message()))
        case 827: return .lessEqual(Specification.LessEqualLayerParams(try member.message()))
        case 830: return .greaterThan(Specification.GreaterThanLayerParams(try member.message()))
        case 832: return .greaterEqual(Specification.GreaterEqualLayerParams(try member.message()))
        case 840: return .logicalOr(Specification.LogicalOrLayerParams(try member.message()))
        case 845: return .logicalXor(Specification.LogicalXorLayerParams(try member.message()))
        case 850: return .logicalNot(Specification.LogicalNotLayerParams(try member.message()))
        case 855: return .logicalAnd(Specification.LogicalAndLayerParams(try member.message()))
        case 865: return .modBroadcastable(Specification.ModBroadcastableLayerParams(try member.message()))
        case 870: return .minBroadcastable(Specification.MinBroadcastableLayerParams(try member.message()))
        case 875: return .maxBroadcastable(Specification.MaxBroadcastableLayerParams(try member.message()))
        case 880: return .addBroadcastable(Specification.AddBroadcastableLayerParams(try member.message()))
        case 885: return .powBroadcastable(Specification.PowBroadcastableLayerParams(try member.message()))
        case 890: return .divideBroadcastable(Specification.DivideBroadcastableLayerParams(try member.message()))
        case 895: return .floorDivBroadcastable(Specification.FloorDivBroadcastableLayerParams(try member.message()))
        case 900: return .multiplyBroadcastable(Specification.MultiplyBroadcastableLayerParams(try member.message()))
        case 905: return .subtractBroadcastable(Specification.SubtractBroadcastableLayerParams(try member.message()))
        case 920: return .tile(Specification.TileLayerParams(try member.message()))
        case 925: return .stack(Specification.StackLayerParams(try member.message()))
        case 930: return .gather(Specification.GatherLayerParams(try member.message()))
        case 935: return .scatter(Specification.ScatterLayerParams(try member.message()))
        case 940: return .gatherND(Specification.GatherNDLayerParams(try member.message()))
        case 945: return .scatterND(Specification.ScatterNDLayerParams(try member.message()))
        case 950: return .softmaxND(Specification.SoftmaxNDLayerParams(try member.message()))
        case 952: return .gatherAlongAxis(Specification.GatherAlongAxisLayerParams(try member.message()))
        case 954: return .scatterAlongAxis(Specification.ScatterAlongAxisLayerParams(try member.message()))
        case 960: return .reverse(Specification.ReverseLayerParams(try member.message()))
        case 965: return .reverseSeq(Specification.ReverseSeqLayerParams(try member.message()))
        case 975: return .splitND(Specification.SplitNDLayerParams(try member.message()))
        case 980: return .concatND(Specification.ConcatNDLayerParams(try member.message()))
        case 985: return .transpose(Specification.TransposeLayerParams(try member.message()))
        case 995: return .sliceStatic(Specification.SliceStaticLayerParams(try member.message()))
        case 1000: return .sliceDynamic(Specification.SliceDynamicLayerParams(try member.message()))
        case 1005: return .slidingWindows(Specification.SlidingWindowsLayerParams(try member.message()))
        case 1015: return .topK(Specification.TopKLayerParams(try member.message()))
        case 1020: return .argMin(Specification.ArgMinLayerParams(try member.message()))
        case 1025: return .argMax(Specification.ArgMaxLayerParams(try member.message()))
        case 1040: return .embeddingND(Specification.EmbeddingNDLayerParams(try member.message()))
        case 1045: return .batchedMatmul(Specification.BatchedMatMulLayerParams(try member.message()))
        case 1065: return .getShape(Specification.GetShapeLayerParams(try member.message()))
        case 1070: return .loadConstantND(Specification.LoadConstantNDLayerParams(try member.message()))
        case 1080: return .fillLike(Specification.FillLikeLayerParams(try member.message()))
        case 1085: return .fillStatic(Specification.FillStaticLayerParams(try member.message()))
        case 1090: return .fillDynamic(Specification.FillDynamicLayerParams(try member.message()))
        case 1100: return .broadcastToLike(Specification.BroadcastToLikeLayerParams(try member.message()))
        case 1105: return .broadcastToStatic(Specification.BroadcastToStaticLayerParams(try member.message()))
        case 1110: return .broadcastToDynamic(Specification.BroadcastToDynamicLayerParams(try member.message()))
        case 1120: return .squeeze(Specification.SqueezeLayerParams(try member.message()))
        case 1125: return .expandDims(Specification.ExpandDimsLayerParams(try member.message()))
        case 1130: return .flattenTo2D(Specification.FlattenTo2DLayerParams(try member.message()))
        case 1135: return .reshapeLike(Specification.ReshapeLikeLayerParams(try member.message()))
        case 1140: return .reshapeStatic(Specification.ReshapeStaticLayerParams(try member.message()))
        case 1145: return .reshapeDynamic(Specification.ReshapeDynamicLayerParams(try member.message()))
        case 1150: return .rankPreservingReshape(Specification.RankPreservingReshapeLayerParams(try member.message()))
        case 1155: return .constantPad(Specification.ConstantPaddingLayerParams(try member.message()))
        case 1170: return .randomNormalLike(Specification.RandomNormalLikeLayerParams(try member.message()))
        case 1175: return .randomNormalStatic(Specification.RandomNormalStaticLayerParams(try member.message()))
        case 1180: return .randomNormalDynamic(Specification.RandomNormalDynamicLayerParams(try member.message()))
        case 1190: return .randomUniformLike(Specification.RandomUniformLikeLayerParams(try member.message()))
        case 1195: return .randomUniformStatic(Specification.RandomUniformStaticLayerParams(try member.message()))
        case 1200: return .randomUniformDynamic(Specification.RandomUniformDynamicLayerParams(try member.message()))
        case 1210: return .randomBernoulliLike(Specification.RandomBernoulliLikeLayerParams(try member.message()))
        case 1215: return .randomBernoulliStatic(Specification.RandomBernoulliStaticLayerParams(try member.message()))
        case 1220: return .randomBernoulliDynamic(Specification.RandomBernoulliDynamicLayerParams(try member.message()))
        case 1230: return .categoricalDistribution(Specification.CategoricalDistributionLayerParams(try member.message()))
        case 1250: return .reduceL1(Specification.ReduceL1LayerParams(try member.message()))
        case 1255: return .reduceL2(Specification.ReduceL2LayerParams(try member.message()))
        case 1260: return .reduceMax(Specification.ReduceMaxLayerParams(try member.message()))
        case 1265: return .reduceMin(Specification.ReduceMinLayerParams(try member.message()))
        case 1270: return .reduceSum(Specification.ReduceSumLayerParams(try member.message()))
        case 1275: return .reduceProd(Specification.ReduceProdLayerParams(try member.message()))
        case 1280: return .reduceMean(Specification.ReduceMeanLayerParams(try member.message()))
        case 1285: return .reduceLogSum(Specification.ReduceLogSumLayerParams(try member.message()))
        case 1290: return .reduceSumSquare(Specification.ReduceSumSquareLayerParams(try member.message()))
        case 1295: return .reduceLogSumExp(Specification.ReduceLogSumExpLayerParams(try member.message()))
        case 1313: return .whereNonZero(Specification.WhereNonZeroLayerParams(try member.message()))
        case 1315: return .matrixBandPart(Specification.MatrixBandPartLayerParams(try member.message()))
        case 1320: return .lowerTriangular(Specification.LowerTriangularLayerParams(try member.message()))
        case 1325: return .upperTriangular(Specification.UpperTriangularLayerParams(try member.message()))
        case 1330: return .whereBroadcastable(Specification.WhereBroadcastableLayerParams(try member.message()))
        case 1350: return .layerNormalization(Specification.LayerNormalizationLayerParams(try member.message()))
        case 1400: return .nonMaximumSuppression(Specification.NonMaximumSuppressionLayerParams(try member.message()))
        case 1450: return .oneHot(Specification.OneHotLayerParams(try member.message()))
        case 1455: return .cumSum(Specification.CumSumLayerParams(try member.message()))
        case 1460: return .clampedReLU(Specification.ClampedReLULayerParams(try member.message()))
        case 1461: return .argSort(Specification.ArgSortLayerParams(try member.message()))
        case 1465: return .pooling3d(Specification.Pooling3DLayerParams(try member.message()))
        case 1466: return .globalPooling3d(Specification.GlobalPooling3DLayerParams(try member.message()))
        case 1470: return .sliceBySize(Specification.SliceBySizeLayerParams(try member.message()))
        case 1471: return .convolution3d(Specification.Convolution3DLayerParams(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.BranchLayerParams`
  package struct BranchLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var ifBranch: Specification.NeuralNetwork? { get throws { try message.message(1).map(Specification.NeuralNetwork.init) } }
    package var elseBranch: Specification.NeuralNetwork? { get throws { try message.message(2).map(Specification.NeuralNetwork.init) } }
  }
  /// `CoreML.Specification.LoopLayerParams`
  package struct LoopLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var maxLoopIterations: UInt64 { get throws { try message.uint64(1) } }
    package var conditionVar: String { get throws { try message.string(2) } }
    package var conditionNetwork: Specification.NeuralNetwork? { get throws { try message.message(3).map(Specification.NeuralNetwork.init) } }
    package var bodyNetwork: Specification.NeuralNetwork? { get throws { try message.message(4).map(Specification.NeuralNetwork.init) } }
  }
  /// `CoreML.Specification.LoopBreakLayerParams`
  package struct LoopBreakLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.LoopContinueLayerParams`
  package struct LoopContinueLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.CopyLayerParams`
  package struct CopyLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.GreaterThanLayerParams`
  package struct GreaterThanLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(2) } }
  }
  /// `CoreML.Specification.GreaterEqualLayerParams`
  package struct GreaterEqualLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(2) } }
  }
  /// `CoreML.Specification.LessThanLayerParams`
  package struct LessThanLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(2) } }
  }
  /// `CoreML.Specification.LessEqualLayerParams`
  package struct LessEqualLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(2) } }
  }
  /// `CoreML.Specification.EqualLayerParams`
  package struct EqualLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(1) } }
  }
  /// `CoreML.Specification.NotEqualLayerParams`
  package struct NotEqualLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(1) } }
  }
  /// `CoreML.Specification.LogicalAndLayerParams`
  package struct LogicalAndLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.LogicalOrLayerParams`
  package struct LogicalOrLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.LogicalXorLayerParams`
  package struct LogicalXorLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.LogicalNotLayerParams`
  package struct LogicalNotLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.BorderAmounts`
  package struct BorderAmounts: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var borderAmounts: Views<Specification.BorderAmounts.EdgeSizes> { get throws { try message.views(10, Specification.BorderAmounts.EdgeSizes.self) } }
    /// `CoreML.Specification.BorderAmounts.EdgeSizes`
    package struct EdgeSizes: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var startEdgeSize: UInt64 { get throws { try message.uint64(1) } }
      package var endEdgeSize: UInt64 { get throws { try message.uint64(2) } }
    }
  }
  /// `CoreML.Specification.ValidPadding`
  package struct ValidPadding: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var paddingAmounts: Specification.BorderAmounts? { get throws { try message.message(1).map(Specification.BorderAmounts.init) } }
  }
  /// `CoreML.Specification.SamePadding`
  package struct SamePadding: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var asymmetryMode: Specification.SamePadding.SamePaddingMode { get throws { try message.value(1, Specification.SamePadding.SamePaddingMode.self) } }
    package enum SamePaddingMode: Int32, Sendable, CaseIterable {
      case bottomRightHeavy = 0
      case topLeftHeavy = 1
    }
  }
  /// `CoreML.Specification.SamplingMode`
  package struct SamplingMode: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var samplingMethod: Specification.SamplingMode.Method { get throws { try message.value(1, Specification.SamplingMode.Method.self) } }
    package enum Method: Int32, Sendable, CaseIterable {
      case strictAlignEndpointsMode = 0
      case alignEndpointsMode = 1
      case upsampleMode = 2
      case roiAlignMode = 3
    }
  }
  /// `CoreML.Specification.BoxCoordinatesMode`
  package struct BoxCoordinatesMode: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var boxMode: Specification.BoxCoordinatesMode.Coordinates { get throws { try message.value(1, Specification.BoxCoordinatesMode.Coordinates.self) } }
    package enum Coordinates: Int32, Sendable, CaseIterable {
      case cornersHeightFirst = 0
      case cornersWidthFirst = 1
      case centerSizeHeightFirst = 2
      case centerSizeWidthFirst = 3
    }
  }
  /// `CoreML.Specification.WeightParams`
  package struct WeightParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var floatValue: [Float] { get throws { try message.floats(1) } }
    package var floatValueBytes: Bytes { get throws { try message.floatBytes(1) } }
    package var float16Value: Bytes { get throws { try message.bytes(2) } }
    package var rawValue: Bytes { get throws { try message.bytes(30) } }
    package var int8RawValue: Bytes { get throws { try message.bytes(31) } }
    package var quantization: Specification.QuantizationParams? { get throws { try message.message(40).map(Specification.QuantizationParams.init) } }
    package var isUpdatable: Bool { get throws { try message.bool(50) } }
  }
  /// `CoreML.Specification.QuantizationParams`
  package struct QuantizationParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var numberOfBits: UInt64 { get throws { try message.uint64(1) } }
    package var linearQuantization: Specification.LinearQuantizationParams? { get throws { try message.message(101, of: Self.quantizationTypeFields).map(Specification.LinearQuantizationParams.init) } }
    package var lookupTableQuantization: Specification.LookUpTableQuantizationParams? { get throws { try message.message(102, of: Self.quantizationTypeFields).map(Specification.LookUpTableQuantizationParams.init) } }
    static let quantizationTypeFields = [101, 102]
    package enum OneOfQuantizationType: Sendable {
      case linearQuantization(Specification.LinearQuantizationParams)
      case lookupTableQuantization(Specification.LookUpTableQuantizationParams)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(101, "linearQuantization", .linearQuantization(Specification.LinearQuantizationParams(Message()))),
          OneOfMember(102, "lookupTableQuantization", .lookupTableQuantization(Specification.LookUpTableQuantizationParams(Message()))),
        ]
      }
    }
    package var quantizationType: OneOfQuantizationType? {
      get throws {
        guard let member = try message.member(of: Self.quantizationTypeFields) else { return nil }
        switch member.number {
        case 101: return .linearQuantization(Specification.LinearQuantizationParams(try member.message()))
        case 102: return .lookupTableQuantization(Specification.LookUpTableQuantizationParams(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.LinearQuantizationParams`
  package struct LinearQuantizationParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var scale: [Float] { get throws { try message.floats(1) } }
    package var scaleBytes: Bytes { get throws { try message.floatBytes(1) } }
    package var bias: [Float] { get throws { try message.floats(2) } }
    package var biasBytes: Bytes { get throws { try message.floatBytes(2) } }
  }
  /// `CoreML.Specification.LookUpTableQuantizationParams`
  package struct LookUpTableQuantizationParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var floatValue: [Float] { get throws { try message.floats(1) } }
    package var floatValueBytes: Bytes { get throws { try message.floatBytes(1) } }
  }
  /// `CoreML.Specification.ConvolutionLayerParams`
  package struct ConvolutionLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var outputChannels: UInt64 { get throws { try message.uint64(1) } }
    package var kernelChannels: UInt64 { get throws { try message.uint64(2) } }
    package var nGroups: UInt64 { get throws { try message.uint64(10) } }
    package var kernelSize: [UInt64] { get throws { try message.uint64s(20) } }
    package var stride: [UInt64] { get throws { try message.uint64s(30) } }
    package var dilationFactor: [UInt64] { get throws { try message.uint64s(40) } }
    package var valid: Specification.ValidPadding? { get throws { try message.message(50, of: Self.convolutionPaddingTypeFields).map(Specification.ValidPadding.init) } }
    package var same: Specification.SamePadding? { get throws { try message.message(51, of: Self.convolutionPaddingTypeFields).map(Specification.SamePadding.init) } }
    package var isDeconvolution: Bool { get throws { try message.bool(60) } }
    package var hasBias: Bool { get throws { try message.bool(70) } }
    package var weights: Specification.WeightParams? { get throws { try message.message(90).map(Specification.WeightParams.init) } }
    package var bias: Specification.WeightParams? { get throws { try message.message(91).map(Specification.WeightParams.init) } }
    package var outputShape: [UInt64] { get throws { try message.uint64s(100) } }
    static let convolutionPaddingTypeFields = [50, 51]
    package enum OneOfConvolutionPaddingType: Sendable {
      case valid(Specification.ValidPadding)
      case same(Specification.SamePadding)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(50, "valid", .valid(Specification.ValidPadding(Message()))),
          OneOfMember(51, "same", .same(Specification.SamePadding(Message()))),
        ]
      }
    }
    package var convolutionPaddingType: OneOfConvolutionPaddingType? {
      get throws {
        guard let member = try message.member(of: Self.convolutionPaddingTypeFields) else { return nil }
        switch member.number {
        case 50: return .valid(Specification.ValidPadding(try member.message()))
        case 51: return .same(Specification.SamePadding(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.Convolution3DLayerParams`
  package struct Convolution3DLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var outputChannels: Int32 { get throws { try message.int32(1) } }
    package var inputChannels: Int32 { get throws { try message.int32(2) } }
    package var nGroups: Int32 { get throws { try message.int32(10) } }
    package var kernelDepth: Int32 { get throws { try message.int32(20) } }
    package var kernelHeight: Int32 { get throws { try message.int32(21) } }
    package var kernelWidth: Int32 { get throws { try message.int32(22) } }
    package var strideDepth: Int32 { get throws { try message.int32(31) } }
    package var strideHeight: Int32 { get throws { try message.int32(32) } }
    package var strideWidth: Int32 { get throws { try message.int32(33) } }
    package var dilationDepth: Int32 { get throws { try message.int32(40) } }
    package var dilationHeight: Int32 { get throws { try message.int32(41) } }
    package var dilationWidth: Int32 { get throws { try message.int32(42) } }
    package var hasBias: Bool { get throws { try message.bool(50) } }
    package var weights: Specification.WeightParams? { get throws { try message.message(60).map(Specification.WeightParams.init) } }
    package var bias: Specification.WeightParams? { get throws { try message.message(61).map(Specification.WeightParams.init) } }
    package var paddingType: Specification.Convolution3DLayerParams.PaddingType { get throws { try message.value(70, Specification.Convolution3DLayerParams.PaddingType.self) } }
    package var customPaddingFront: Int32 { get throws { try message.int32(80) } }
    package var customPaddingBack: Int32 { get throws { try message.int32(81) } }
    package var customPaddingTop: Int32 { get throws { try message.int32(82) } }
    package var customPaddingBottom: Int32 { get throws { try message.int32(83) } }
    package var customPaddingLeft: Int32 { get throws { try message.int32(84) } }
    package var customPaddingRight: Int32 { get throws { try message.int32(85) } }
    package var isDeconvolution: Bool { get throws { try message.bool(86) } }
    package var outputShape: [UInt64] { get throws { try message.uint64s(87) } }
    package enum PaddingType: Int32, Sendable, CaseIterable {
      case custom = 0
      case valid = 1
      case same = 2
    }
  }
  /// `CoreML.Specification.InnerProductLayerParams`
  package struct InnerProductLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var inputChannels: UInt64 { get throws { try message.uint64(1) } }
    package var outputChannels: UInt64 { get throws { try message.uint64(2) } }
    package var hasBias: Bool { get throws { try message.bool(10) } }
    package var weights: Specification.WeightParams? { get throws { try message.message(20).map(Specification.WeightParams.init) } }
    package var bias: Specification.WeightParams? { get throws { try message.message(21).map(Specification.WeightParams.init) } }
    package var int8DynamicQuantize: Bool { get throws { try message.bool(22) } }
  }
  /// `CoreML.Specification.EmbeddingLayerParams`
  package struct EmbeddingLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var inputDim: UInt64 { get throws { try message.uint64(1) } }
    package var outputChannels: UInt64 { get throws { try message.uint64(2) } }
    package var hasBias: Bool { get throws { try message.bool(10) } }
    package var weights: Specification.WeightParams? { get throws { try message.message(20).map(Specification.WeightParams.init) } }
    package var bias: Specification.WeightParams? { get throws { try message.message(21).map(Specification.WeightParams.init) } }
  }
  /// `CoreML.Specification.EmbeddingNDLayerParams`
  package struct EmbeddingNDLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var vocabSize: UInt64 { get throws { try message.uint64(1) } }
    package var embeddingSize: UInt64 { get throws { try message.uint64(2) } }
    package var hasBias: Bool { get throws { try message.bool(3) } }
    package var weights: Specification.WeightParams? { get throws { try message.message(20).map(Specification.WeightParams.init) } }
    package var bias: Specification.WeightParams? { get throws { try message.message(21).map(Specification.WeightParams.init) } }
  }
  /// `CoreML.Specification.BatchnormLayerParams`
  package struct BatchnormLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var channels: UInt64 { get throws { try message.uint64(1) } }
    package var computeMeanVar: Bool { get throws { try message.bool(5) } }
    package var instanceNormalization: Bool { get throws { try message.bool(6) } }
    package var epsilon: Float { get throws { try message.float(10) } }
    package var gamma: Specification.WeightParams? { get throws { try message.message(15).map(Specification.WeightParams.init) } }
    package var beta: Specification.WeightParams? { get throws { try message.message(16).map(Specification.WeightParams.init) } }
    package var mean: Specification.WeightParams? { get throws { try message.message(17).map(Specification.WeightParams.init) } }
    package var variance: Specification.WeightParams? { get throws { try message.message(18).map(Specification.WeightParams.init) } }
  }
  /// `CoreML.Specification.PoolingLayerParams`
  package struct PoolingLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var type: Specification.PoolingLayerParams.PoolingType { get throws { try message.value(1, Specification.PoolingLayerParams.PoolingType.self) } }
    package var kernelSize: [UInt64] { get throws { try message.uint64s(10) } }
    package var stride: [UInt64] { get throws { try message.uint64s(20) } }
    package var valid: Specification.ValidPadding? { get throws { try message.message(30, of: Self.poolingPaddingTypeFields).map(Specification.ValidPadding.init) } }
    package var same: Specification.SamePadding? { get throws { try message.message(31, of: Self.poolingPaddingTypeFields).map(Specification.SamePadding.init) } }
    package var includeLastPixel: Specification.PoolingLayerParams.ValidCompletePadding? { get throws { try message.message(32, of: Self.poolingPaddingTypeFields).map(Specification.PoolingLayerParams.ValidCompletePadding.init) } }
    package var avgPoolExcludePadding: Bool { get throws { try message.bool(50) } }
    package var globalPooling: Bool { get throws { try message.bool(60) } }
    static let poolingPaddingTypeFields = [30, 31, 32]
    package enum OneOfPoolingPaddingType: Sendable {
      case valid(Specification.ValidPadding)
      case same(Specification.SamePadding)
      case includeLastPixel(Specification.PoolingLayerParams.ValidCompletePadding)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(30, "valid", .valid(Specification.ValidPadding(Message()))),
          OneOfMember(31, "same", .same(Specification.SamePadding(Message()))),
          OneOfMember(32, "includeLastPixel", .includeLastPixel(Specification.PoolingLayerParams.ValidCompletePadding(Message()))),
        ]
      }
    }
    package var poolingPaddingType: OneOfPoolingPaddingType? {
      get throws {
        guard let member = try message.member(of: Self.poolingPaddingTypeFields) else { return nil }
        switch member.number {
        case 30: return .valid(Specification.ValidPadding(try member.message()))
        case 31: return .same(Specification.SamePadding(try member.message()))
        case 32: return .includeLastPixel(Specification.PoolingLayerParams.ValidCompletePadding(try member.message()))
        default: return nil
        }
      }
    }
    /// `CoreML.Specification.PoolingLayerParams.ValidCompletePadding`
    package struct ValidCompletePadding: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var paddingAmounts: [UInt64] { get throws { try message.uint64s(10) } }
    }
    package enum PoolingType: Int32, Sendable, CaseIterable {
      case max = 0
      case average = 1
      case l2 = 2
    }
  }
  /// `CoreML.Specification.Pooling3DLayerParams`
  package struct Pooling3DLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var type: Specification.Pooling3DLayerParams.PoolingType3D { get throws { try message.value(1, Specification.Pooling3DLayerParams.PoolingType3D.self) } }
    package var kernelDepth: Int32 { get throws { try message.int32(2) } }
    package var kernelHeight: Int32 { get throws { try message.int32(3) } }
    package var kernelWidth: Int32 { get throws { try message.int32(4) } }
    package var strideDepth: Int32 { get throws { try message.int32(5) } }
    package var strideHeight: Int32 { get throws { try message.int32(6) } }
    package var strideWidth: Int32 { get throws { try message.int32(7) } }
    package var paddingType: Specification.Pooling3DLayerParams.Pooling3DPaddingType { get throws { try message.value(15, Specification.Pooling3DLayerParams.Pooling3DPaddingType.self) } }
    package var customPaddingFront: Int32 { get throws { try message.int32(8) } }
    package var customPaddingBack: Int32 { get throws { try message.int32(9) } }
    package var customPaddingTop: Int32 { get throws { try message.int32(10) } }
    package var customPaddingBottom: Int32 { get throws { try message.int32(11) } }
    package var customPaddingLeft: Int32 { get throws { try message.int32(12) } }
    package var customPaddingRight: Int32 { get throws { try message.int32(13) } }
    package var countExcludePadding: Bool { get throws { try message.bool(14) } }
    package enum PoolingType3D: Int32, Sendable, CaseIterable {
      case max = 0
      case average = 1
    }
    package enum Pooling3DPaddingType: Int32, Sendable, CaseIterable {
      case custom = 0
      case valid = 1
      case same = 2
    }
  }
  /// `CoreML.Specification.GlobalPooling3DLayerParams`
  package struct GlobalPooling3DLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var type: Specification.GlobalPooling3DLayerParams.GlobalPoolingType3D { get throws { try message.value(1, Specification.GlobalPooling3DLayerParams.GlobalPoolingType3D.self) } }
    package enum GlobalPoolingType3D: Int32, Sendable, CaseIterable {
      case max = 0
      case average = 1
    }
  }
  /// `CoreML.Specification.PaddingLayerParams`
  package struct PaddingLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var constant: Specification.PaddingLayerParams.PaddingConstant? { get throws { try message.message(1, of: Self.paddingTypeFields).map(Specification.PaddingLayerParams.PaddingConstant.init) } }
    package var reflection: Specification.PaddingLayerParams.PaddingReflection? { get throws { try message.message(2, of: Self.paddingTypeFields).map(Specification.PaddingLayerParams.PaddingReflection.init) } }
    package var replication: Specification.PaddingLayerParams.PaddingReplication? { get throws { try message.message(3, of: Self.paddingTypeFields).map(Specification.PaddingLayerParams.PaddingReplication.init) } }
    package var paddingAmounts: Specification.BorderAmounts? { get throws { try message.message(10).map(Specification.BorderAmounts.init) } }
    static let paddingTypeFields = [1, 2, 3]
    package enum OneOfPaddingType: Sendable {
      case constant(Specification.PaddingLayerParams.PaddingConstant)
      case reflection(Specification.PaddingLayerParams.PaddingReflection)
      case replication(Specification.PaddingLayerParams.PaddingReplication)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "constant", .constant(Specification.PaddingLayerParams.PaddingConstant(Message()))),
          OneOfMember(2, "reflection", .reflection(Specification.PaddingLayerParams.PaddingReflection(Message()))),
          OneOfMember(3, "replication", .replication(Specification.PaddingLayerParams.PaddingReplication(Message()))),
        ]
      }
    }
    package var paddingType: OneOfPaddingType? {
      get throws {
        guard let member = try message.member(of: Self.paddingTypeFields) else { return nil }
        switch member.number {
        case 1: return .constant(Specification.PaddingLayerParams.PaddingConstant(try member.message()))
        case 2: return .reflection(Specification.PaddingLayerParams.PaddingReflection(try member.message()))
        case 3: return .replication(Specification.PaddingLayerParams.PaddingReplication(try member.message()))
        default: return nil
        }
      }
    }
    /// `CoreML.Specification.PaddingLayerParams.PaddingConstant`
    package struct PaddingConstant: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var value: Float { get throws { try message.float(1) } }
    }
    /// `CoreML.Specification.PaddingLayerParams.PaddingReflection`
    package struct PaddingReflection: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
    }
    /// `CoreML.Specification.PaddingLayerParams.PaddingReplication`
    package struct PaddingReplication: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
    }
  }
  /// `CoreML.Specification.ConcatLayerParams`
  package struct ConcatLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var sequenceConcat: Bool { get throws { try message.bool(100) } }
  }
  /// `CoreML.Specification.LRNLayerParams`
  package struct LRNLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(1) } }
    package var beta: Float { get throws { try message.float(2) } }
    package var localSize: UInt64 { get throws { try message.uint64(3) } }
    package var k: Float { get throws { try message.float(4) } }
  }
  /// `CoreML.Specification.SoftmaxLayerParams`
  package struct SoftmaxLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.SplitLayerParams`
  package struct SplitLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var nOutputs: UInt64 { get throws { try message.uint64(1) } }
  }
  /// `CoreML.Specification.AddLayerParams`
  package struct AddLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(1) } }
  }
  /// `CoreML.Specification.MultiplyLayerParams`
  package struct MultiplyLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(1) } }
  }
  /// `CoreML.Specification.UnaryFunctionLayerParams`
  package struct UnaryFunctionLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var type: Specification.UnaryFunctionLayerParams.Operation { get throws { try message.value(1, Specification.UnaryFunctionLayerParams.Operation.self) } }
    package var alpha: Float { get throws { try message.float(2) } }
    package var epsilon: Float { get throws { try message.float(3) } }
    package var shift: Float { get throws { try message.float(4) } }
    package var scale: Float { get throws { try message.float(5) } }
    package enum Operation: Int32, Sendable, CaseIterable {
      case sqrt = 0
      case rsqrt = 1
      case inverse = 2
      case power = 3
      case exp = 4
      case log = 5
      case abs = 6
      case threshold = 7
    }
  }
  /// `CoreML.Specification.UpsampleLayerParams`
  package struct UpsampleLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var scalingFactor: [UInt64] { get throws { try message.uint64s(1) } }
    package var fractionalScalingFactor: [Float] { get throws { try message.floats(7) } }
    package var fractionalScalingFactorBytes: Bytes { get throws { try message.floatBytes(7) } }
    package var mode: Specification.UpsampleLayerParams.InterpolationMode { get throws { try message.value(5, Specification.UpsampleLayerParams.InterpolationMode.self) } }
    package var linearUpsampleMode: Specification.UpsampleLayerParams.LinearUpsampleMode { get throws { try message.value(6, Specification.UpsampleLayerParams.LinearUpsampleMode.self) } }
    package enum InterpolationMode: Int32, Sendable, CaseIterable {
      case nn = 0
      case bilinear = 1
    }
    package enum LinearUpsampleMode: Int32, Sendable, CaseIterable {
      case `default` = 0
      case alignCornersTrue = 1
      case alignCornersFalse = 2
    }
  }
  /// `CoreML.Specification.ResizeBilinearLayerParams`
  package struct ResizeBilinearLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var targetSize: [UInt64] { get throws { try message.uint64s(1) } }
    package var mode: Specification.SamplingMode? { get throws { try message.message(2).map(Specification.SamplingMode.init) } }
  }
  /// `CoreML.Specification.CropResizeLayerParams`
  package struct CropResizeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var targetSize: [UInt64] { get throws { try message.uint64s(1) } }
    package var normalizedCoordinates: Bool { get throws { try message.bool(2) } }
    package var mode: Specification.SamplingMode? { get throws { try message.message(3).map(Specification.SamplingMode.init) } }
    package var boxIndicesMode: Specification.BoxCoordinatesMode? { get throws { try message.message(4).map(Specification.BoxCoordinatesMode.init) } }
    package var spatialScale: Float { get throws { try message.float(5) } }
  }
  /// `CoreML.Specification.BiasLayerParams`
  package struct BiasLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var shape: [UInt64] { get throws { try message.uint64s(1) } }
    package var bias: Specification.WeightParams? { get throws { try message.message(2).map(Specification.WeightParams.init) } }
  }
  /// `CoreML.Specification.ScaleLayerParams`
  package struct ScaleLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var shapeScale: [UInt64] { get throws { try message.uint64s(1) } }
    package var scale: Specification.WeightParams? { get throws { try message.message(2).map(Specification.WeightParams.init) } }
    package var hasBias: Bool { get throws { try message.bool(3) } }
    package var shapeBias: [UInt64] { get throws { try message.uint64s(4) } }
    package var bias: Specification.WeightParams? { get throws { try message.message(5).map(Specification.WeightParams.init) } }
  }
  /// `CoreML.Specification.LoadConstantLayerParams`
  package struct LoadConstantLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var shape: [UInt64] { get throws { try message.uint64s(1) } }
    package var data: Specification.WeightParams? { get throws { try message.message(2).map(Specification.WeightParams.init) } }
  }
  /// `CoreML.Specification.L2NormalizeLayerParams`
  package struct L2NormalizeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var epsilon: Float { get throws { try message.float(1) } }
  }
  /// `CoreML.Specification.FlattenLayerParams`
  package struct FlattenLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var mode: Specification.FlattenLayerParams.FlattenOrder { get throws { try message.value(1, Specification.FlattenLayerParams.FlattenOrder.self) } }
    package enum FlattenOrder: Int32, Sendable, CaseIterable {
      case channelFirst = 0
      case channelLast = 1
    }
  }
  /// `CoreML.Specification.ReshapeLayerParams`
  package struct ReshapeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var targetShape: [Int64] { get throws { try message.int64s(1) } }
    package var mode: Specification.ReshapeLayerParams.ReshapeOrder { get throws { try message.value(2, Specification.ReshapeLayerParams.ReshapeOrder.self) } }
    package enum ReshapeOrder: Int32, Sendable, CaseIterable {
      case channelFirst = 0
      case channelLast = 1
    }
  }
  /// `CoreML.Specification.PermuteLayerParams`
  package struct PermuteLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: [UInt64] { get throws { try message.uint64s(1) } }
  }
  /// `CoreML.Specification.ReorganizeDataLayerParams`
  package struct ReorganizeDataLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var mode: Specification.ReorganizeDataLayerParams.ReorganizationType { get throws { try message.value(1, Specification.ReorganizeDataLayerParams.ReorganizationType.self) } }
    package var blockSize: UInt64 { get throws { try message.uint64(2) } }
    package enum ReorganizationType: Int32, Sendable, CaseIterable {
      case spaceToDepth = 0
      case depthToSpace = 1
      case pixelShuffle = 2
    }
  }
  /// `CoreML.Specification.SliceLayerParams`
  package struct SliceLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var startIndex: Int64 { get throws { try message.int64(1) } }
    package var endIndex: Int64 { get throws { try message.int64(2) } }
    package var stride: UInt64 { get throws { try message.uint64(3) } }
    package var axis: Specification.SliceLayerParams.SliceAxis { get throws { try message.value(4, Specification.SliceLayerParams.SliceAxis.self) } }
    package enum SliceAxis: Int32, Sendable, CaseIterable {
      case channelAxis = 0
      case heightAxis = 1
      case widthAxis = 2
    }
  }
  /// `CoreML.Specification.ReduceLayerParams`
  package struct ReduceLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var mode: Specification.ReduceLayerParams.ReduceOperation { get throws { try message.value(1, Specification.ReduceLayerParams.ReduceOperation.self) } }
    package var epsilon: Float { get throws { try message.float(2) } }
    package var axis: Specification.ReduceLayerParams.ReduceAxis { get throws { try message.value(3, Specification.ReduceLayerParams.ReduceAxis.self) } }
    package enum ReduceOperation: Int32, Sendable, CaseIterable {
      case sum = 0
      case avg = 1
      case prod = 2
      case logsum = 3
      case sumsquare = 4
      case l1 = 5
      case l2 = 6
      case max = 7
      case min = 8
      case argmax = 9
    }
    package enum ReduceAxis: Int32, Sendable, CaseIterable {
      case chw = 0
      case hw = 1
      case c = 2
      case h = 3
      case w = 4
    }
  }
  /// `CoreML.Specification.CropLayerParams`
  package struct CropLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var cropAmounts: Specification.BorderAmounts? { get throws { try message.message(1).map(Specification.BorderAmounts.init) } }
    package var offset: [UInt64] { get throws { try message.uint64s(5) } }
  }
  /// `CoreML.Specification.AverageLayerParams`
  package struct AverageLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.MaxLayerParams`
  package struct MaxLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.MinLayerParams`
  package struct MinLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.DotProductLayerParams`
  package struct DotProductLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var cosineSimilarity: Bool { get throws { try message.bool(1) } }
  }
  /// `CoreML.Specification.MeanVarianceNormalizeLayerParams`
  package struct MeanVarianceNormalizeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var acrossChannels: Bool { get throws { try message.bool(1) } }
    package var normalizeVariance: Bool { get throws { try message.bool(2) } }
    package var epsilon: Float { get throws { try message.float(3) } }
  }
  /// `CoreML.Specification.SequenceRepeatLayerParams`
  package struct SequenceRepeatLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var nRepetitions: UInt64 { get throws { try message.uint64(1) } }
  }
  /// `CoreML.Specification.SimpleRecurrentLayerParams`
  package struct SimpleRecurrentLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var inputVectorSize: UInt64 { get throws { try message.uint64(1) } }
    package var outputVectorSize: UInt64 { get throws { try message.uint64(2) } }
    package var activation: Specification.ActivationParams? { get throws { try message.message(10).map(Specification.ActivationParams.init) } }
    package var sequenceOutput: Bool { get throws { try message.bool(15) } }
    package var hasBiasVector: Bool { get throws { try message.bool(20) } }
    package var weightMatrix: Specification.WeightParams? { get throws { try message.message(30).map(Specification.WeightParams.init) } }
    package var recursionMatrix: Specification.WeightParams? { get throws { try message.message(31).map(Specification.WeightParams.init) } }
    package var biasVector: Specification.WeightParams? { get throws { try message.message(32).map(Specification.WeightParams.init) } }
    package var reverseInput: Bool { get throws { try message.bool(100) } }
  }
  /// `CoreML.Specification.GRULayerParams`
  package struct GRULayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var inputVectorSize: UInt64 { get throws { try message.uint64(1) } }
    package var outputVectorSize: UInt64 { get throws { try message.uint64(2) } }
    package var activations: Views<Specification.ActivationParams> { get throws { try message.views(10, Specification.ActivationParams.self) } }
    package var sequenceOutput: Bool { get throws { try message.bool(15) } }
    package var hasBiasVectors: Bool { get throws { try message.bool(20) } }
    package var updateGateWeightMatrix: Specification.WeightParams? { get throws { try message.message(30).map(Specification.WeightParams.init) } }
    package var resetGateWeightMatrix: Specification.WeightParams? { get throws { try message.message(31).map(Specification.WeightParams.init) } }
    package var outputGateWeightMatrix: Specification.WeightParams? { get throws { try message.message(32).map(Specification.WeightParams.init) } }
    package var updateGateRecursionMatrix: Specification.WeightParams? { get throws { try message.message(50).map(Specification.WeightParams.init) } }
    package var resetGateRecursionMatrix: Specification.WeightParams? { get throws { try message.message(51).map(Specification.WeightParams.init) } }
    package var outputGateRecursionMatrix: Specification.WeightParams? { get throws { try message.message(52).map(Specification.WeightParams.init) } }
    package var updateGateBiasVector: Specification.WeightParams? { get throws { try message.message(70).map(Specification.WeightParams.init) } }
    package var resetGateBiasVector: Specification.WeightParams? { get throws { try message.message(71).map(Specification.WeightParams.init) } }
    package var outputGateBiasVector: Specification.WeightParams? { get throws { try message.message(72).map(Specification.WeightParams.init) } }
    package var reverseInput: Bool { get throws { try message.bool(100) } }
  }
  /// `CoreML.Specification.LSTMParams`
  package struct LSTMParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var sequenceOutput: Bool { get throws { try message.bool(10) } }
    package var hasBiasVectors: Bool { get throws { try message.bool(20) } }
    package var forgetBias: Bool { get throws { try message.bool(30) } }
    package var hasPeepholeVectors: Bool { get throws { try message.bool(40) } }
    package var coupledInputAndForgetGate: Bool { get throws { try message.bool(50) } }
    package var cellClipThreshold: Float { get throws { try message.float(60) } }
  }
  /// `CoreML.Specification.LSTMWeightParams`
  package struct LSTMWeightParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var inputGateWeightMatrix: Specification.WeightParams? { get throws { try message.message(1).map(Specification.WeightParams.init) } }
    package var forgetGateWeightMatrix: Specification.WeightParams? { get throws { try message.message(2).map(Specification.WeightParams.init) } }
    package var blockInputWeightMatrix: Specification.WeightParams? { get throws { try message.message(3).map(Specification.WeightParams.init) } }
    package var outputGateWeightMatrix: Specification.WeightParams? { get throws { try message.message(4).map(Specification.WeightParams.init) } }
    package var inputGateRecursionMatrix: Specification.WeightParams? { get throws { try message.message(20).map(Specification.WeightParams.init) } }
    package var forgetGateRecursionMatrix: Specification.WeightParams? { get throws { try message.message(21).map(Specification.WeightParams.init) } }
    package var blockInputRecursionMatrix: Specification.WeightParams? { get throws { try message.message(22).map(Specification.WeightParams.init) } }
    package var outputGateRecursionMatrix: Specification.WeightParams? { get throws { try message.message(23).map(Specification.WeightParams.init) } }
    package var inputGateBiasVector: Specification.WeightParams? { get throws { try message.message(40).map(Specification.WeightParams.init) } }
    package var forgetGateBiasVector: Specification.WeightParams? { get throws { try message.message(41).map(Specification.WeightParams.init) } }
    package var blockInputBiasVector: Specification.WeightParams? { get throws { try message.message(42).map(Specification.WeightParams.init) } }
    package var outputGateBiasVector: Specification.WeightParams? { get throws { try message.message(43).map(Specification.WeightParams.init) } }
    package var inputGatePeepholeVector: Specification.WeightParams? { get throws { try message.message(60).map(Specification.WeightParams.init) } }
    package var forgetGatePeepholeVector: Specification.WeightParams? { get throws { try message.message(61).map(Specification.WeightParams.init) } }
    package var outputGatePeepholeVector: Specification.WeightParams? { get throws { try message.message(62).map(Specification.WeightParams.init) } }
  }
  /// `CoreML.Specification.UniDirectionalLSTMLayerParams`
  package struct UniDirectionalLSTMLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var inputVectorSize: UInt64 { get throws { try message.uint64(1) } }
    package var outputVectorSize: UInt64 { get throws { try message.uint64(2) } }
    package var activations: Views<Specification.ActivationParams> { get throws { try message.views(10, Specification.ActivationParams.self) } }
    package var params: Specification.LSTMParams? { get throws { try message.message(15).map(Specification.LSTMParams.init) } }
    package var weightParams: Specification.LSTMWeightParams? { get throws { try message.message(20).map(Specification.LSTMWeightParams.init) } }
    package var reverseInput: Bool { get throws { try message.bool(100) } }
  }
  /// `CoreML.Specification.BiDirectionalLSTMLayerParams`
  package struct BiDirectionalLSTMLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var inputVectorSize: UInt64 { get throws { try message.uint64(1) } }
    package var outputVectorSize: UInt64 { get throws { try message.uint64(2) } }
    package var activationsForwardLSTM: Views<Specification.ActivationParams> { get throws { try message.views(10, Specification.ActivationParams.self) } }
    package var activationsBackwardLSTM: Views<Specification.ActivationParams> { get throws { try message.views(11, Specification.ActivationParams.self) } }
    package var params: Specification.LSTMParams? { get throws { try message.message(15).map(Specification.LSTMParams.init) } }
    package var weightParams: Views<Specification.LSTMWeightParams> { get throws { try message.views(20, Specification.LSTMWeightParams.self) } }
  }
  /// `CoreML.Specification.CustomLayerParams`
  package struct CustomLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var className: String { get throws { try message.string(10) } }
    package var weights: Views<Specification.WeightParams> { get throws { try message.views(20, Specification.WeightParams.self) } }
    package var parameters: [String: Specification.CustomLayerParams.CustomLayerParamValue] { get throws { Dictionary(entries: try parametersInOrder) } }
    package var parametersInOrder: [(key: String, value: Specification.CustomLayerParams.CustomLayerParamValue)] { get throws { try message.entries(30) { (try $0.string(1), Specification.CustomLayerParams.CustomLayerParamValue(try $0.message(2) ?? Message())) } } }
    package var description: String { get throws { try message.string(40) } }
    /// `CoreML.Specification.CustomLayerParams.CustomLayerParamValue`
    package struct CustomLayerParamValue: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var doubleValue: Double? { get throws { try message.member(10, of: Self.valueFields)?.double() } }
      package var stringValue: String? { get throws { try message.member(20, of: Self.valueFields)?.string() } }
      package var intValue: Int32? { get throws { try message.member(30, of: Self.valueFields)?.int32() } }
      package var longValue: Int64? { get throws { try message.member(40, of: Self.valueFields)?.int64() } }
      package var boolValue: Bool? { get throws { try message.member(50, of: Self.valueFields)?.bool() } }
      static let valueFields = [10, 20, 30, 40, 50]
      package enum OneOfValue: Sendable {
        case doubleValue(Double)
        case stringValue(String)
        case intValue(Int32)
        case longValue(Int64)
        case boolValue(Bool)
        /// Every member under its name in the schema, with nothing in it.
        package static var members: [OneOfMember<Self>] {
          [
            OneOfMember(10, "doubleValue", .doubleValue(Double())),
            OneOfMember(20, "stringValue", .stringValue(String())),
            OneOfMember(30, "intValue", .intValue(Int32())),
            OneOfMember(40, "longValue", .longValue(Int64())),
            OneOfMember(50, "boolValue", .boolValue(Bool())),
          ]
        }
      }
      package var value: OneOfValue? {
        get throws {
          guard let member = try message.member(of: Self.valueFields) else { return nil }
          switch member.number {
          case 10: return .doubleValue(try member.double())
          case 20: return .stringValue(try member.string())
          case 30: return .intValue(try member.int32())
          case 40: return .longValue(try member.int64())
          case 50: return .boolValue(try member.bool())
          default: return nil
          }
        }
      }
    }
  }
  /// `CoreML.Specification.TransposeLayerParams`
  package struct TransposeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axes: [UInt64] { get throws { try message.uint64s(1) } }
  }
  /// `CoreML.Specification.BatchedMatMulLayerParams`
  package struct BatchedMatMulLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var transposeA: Bool { get throws { try message.bool(1) } }
    package var transposeB: Bool { get throws { try message.bool(2) } }
    package var weightMatrixFirstDimension: UInt64 { get throws { try message.uint64(5) } }
    package var weightMatrixSecondDimension: UInt64 { get throws { try message.uint64(6) } }
    package var hasBias: Bool { get throws { try message.bool(7) } }
    package var weights: Specification.WeightParams? { get throws { try message.message(8).map(Specification.WeightParams.init) } }
    package var bias: Specification.WeightParams? { get throws { try message.message(9).map(Specification.WeightParams.init) } }
    package var int8DynamicQuantize: Bool { get throws { try message.bool(10) } }
  }
  /// `CoreML.Specification.ConcatNDLayerParams`
  package struct ConcatNDLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
    package var interleave: Bool { get throws { try message.bool(2) } }
  }
  /// `CoreML.Specification.SoftmaxNDLayerParams`
  package struct SoftmaxNDLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
  }
  /// `CoreML.Specification.ReverseLayerParams`
  package struct ReverseLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var reverseDim: [Bool] { get throws { try message.bools(1) } }
  }
  /// `CoreML.Specification.ReverseSeqLayerParams`
  package struct ReverseSeqLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var batchAxis: Int64 { get throws { try message.int64(1) } }
    package var sequenceAxis: Int64 { get throws { try message.int64(2) } }
  }
  /// `CoreML.Specification.LoadConstantNDLayerParams`
  package struct LoadConstantNDLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var shape: [UInt64] { get throws { try message.uint64s(1) } }
    package var data: Specification.WeightParams? { get throws { try message.message(2).map(Specification.WeightParams.init) } }
  }
  /// `CoreML.Specification.FillLikeLayerParams`
  package struct FillLikeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var value: Float { get throws { try message.float(1) } }
  }
  /// `CoreML.Specification.FillStaticLayerParams`
  package struct FillStaticLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var value: Float { get throws { try message.float(1) } }
    package var targetShape: [UInt64] { get throws { try message.uint64s(2) } }
  }
  /// `CoreML.Specification.FillDynamicLayerParams`
  package struct FillDynamicLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var value: Float { get throws { try message.float(1) } }
  }
  /// `CoreML.Specification.WhereBroadcastableLayerParams`
  package struct WhereBroadcastableLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.SinLayerParams`
  package struct SinLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.CosLayerParams`
  package struct CosLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.TanLayerParams`
  package struct TanLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.AsinLayerParams`
  package struct AsinLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.AcosLayerParams`
  package struct AcosLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.AtanLayerParams`
  package struct AtanLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.SinhLayerParams`
  package struct SinhLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.CoshLayerParams`
  package struct CoshLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.TanhLayerParams`
  package struct TanhLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.AsinhLayerParams`
  package struct AsinhLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.AcoshLayerParams`
  package struct AcoshLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.AtanhLayerParams`
  package struct AtanhLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.PowBroadcastableLayerParams`
  package struct PowBroadcastableLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.Exp2LayerParams`
  package struct Exp2LayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.WhereNonZeroLayerParams`
  package struct WhereNonZeroLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.MatrixBandPartLayerParams`
  package struct MatrixBandPartLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var numLower: Int64 { get throws { try message.int64(1) } }
    package var numUpper: Int64 { get throws { try message.int64(2) } }
  }
  /// `CoreML.Specification.UpperTriangularLayerParams`
  package struct UpperTriangularLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var k: Int64 { get throws { try message.int64(1) } }
  }
  /// `CoreML.Specification.LowerTriangularLayerParams`
  package struct LowerTriangularLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var k: Int64 { get throws { try message.int64(1) } }
  }
  /// `CoreML.Specification.BroadcastToLikeLayerParams`
  package struct BroadcastToLikeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.BroadcastToStaticLayerParams`
  package struct BroadcastToStaticLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var targetShape: [UInt64] { get throws { try message.uint64s(1) } }
  }
  /// `CoreML.Specification.BroadcastToDynamicLayerParams`
  package struct BroadcastToDynamicLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.AddBroadcastableLayerParams`
  package struct AddBroadcastableLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.MaxBroadcastableLayerParams`
  package struct MaxBroadcastableLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.MinBroadcastableLayerParams`
  package struct MinBroadcastableLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.ModBroadcastableLayerParams`
  package struct ModBroadcastableLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.FloorDivBroadcastableLayerParams`
  package struct FloorDivBroadcastableLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.SubtractBroadcastableLayerParams`
  package struct SubtractBroadcastableLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.MultiplyBroadcastableLayerParams`
  package struct MultiplyBroadcastableLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.DivideBroadcastableLayerParams`
  package struct DivideBroadcastableLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.GatherLayerParams`
  package struct GatherLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
  }
  /// `CoreML.Specification.ScatterLayerParams`
  package struct ScatterLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
    package var mode: Specification.ScatterMode { get throws { try message.value(2, Specification.ScatterMode.self) } }
  }
  /// `CoreML.Specification.GatherNDLayerParams`
  package struct GatherNDLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.ScatterNDLayerParams`
  package struct ScatterNDLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var mode: Specification.ScatterMode { get throws { try message.value(1, Specification.ScatterMode.self) } }
  }
  /// `CoreML.Specification.GatherAlongAxisLayerParams`
  package struct GatherAlongAxisLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
  }
  /// `CoreML.Specification.ScatterAlongAxisLayerParams`
  package struct ScatterAlongAxisLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
    package var mode: Specification.ScatterMode { get throws { try message.value(2, Specification.ScatterMode.self) } }
  }
  /// `CoreML.Specification.StackLayerParams`
  package struct StackLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
  }
  /// `CoreML.Specification.RankPreservingReshapeLayerParams`
  package struct RankPreservingReshapeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var targetShape: [Int64] { get throws { try message.int64s(1) } }
  }
  /// `CoreML.Specification.ConstantPaddingLayerParams`
  package struct ConstantPaddingLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var value: Float { get throws { try message.float(1) } }
    package var padAmounts: [UInt64] { get throws { try message.uint64s(2) } }
    package var padToGivenOutputSizeMode: Bool { get throws { try message.bool(3) } }
  }
  /// `CoreML.Specification.RandomNormalLikeLayerParams`
  package struct RandomNormalLikeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var seed: Int64 { get throws { try message.int64(1) } }
    package var mean: Float { get throws { try message.float(2) } }
    package var stdDev: Float { get throws { try message.float(3) } }
  }
  /// `CoreML.Specification.RandomNormalStaticLayerParams`
  package struct RandomNormalStaticLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var seed: Int64 { get throws { try message.int64(1) } }
    package var mean: Float { get throws { try message.float(2) } }
    package var stdDev: Float { get throws { try message.float(3) } }
    package var outputShape: [UInt64] { get throws { try message.uint64s(4) } }
  }
  /// `CoreML.Specification.RandomNormalDynamicLayerParams`
  package struct RandomNormalDynamicLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var seed: Int64 { get throws { try message.int64(1) } }
    package var mean: Float { get throws { try message.float(2) } }
    package var stdDev: Float { get throws { try message.float(3) } }
  }
  /// `CoreML.Specification.RandomUniformLikeLayerParams`
  package struct RandomUniformLikeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var seed: Int64 { get throws { try message.int64(1) } }
    package var minVal: Float { get throws { try message.float(2) } }
    package var maxVal: Float { get throws { try message.float(3) } }
  }
  /// `CoreML.Specification.RandomUniformStaticLayerParams`
  package struct RandomUniformStaticLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var seed: Int64 { get throws { try message.int64(1) } }
    package var minVal: Float { get throws { try message.float(2) } }
    package var maxVal: Float { get throws { try message.float(3) } }
    package var outputShape: [UInt64] { get throws { try message.uint64s(4) } }
  }
  /// `CoreML.Specification.RandomUniformDynamicLayerParams`
  package struct RandomUniformDynamicLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var seed: Int64 { get throws { try message.int64(1) } }
    package var minVal: Float { get throws { try message.float(2) } }
    package var maxVal: Float { get throws { try message.float(3) } }
  }
  /// `CoreML.Specification.RandomBernoulliLikeLayerParams`
  package struct RandomBernoulliLikeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var seed: Int64 { get throws { try message.int64(1) } }
    package var prob: Float { get throws { try message.float(2) } }
  }
  /// `CoreML.Specification.RandomBernoulliStaticLayerParams`
  package struct RandomBernoulliStaticLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var seed: Int64 { get throws { try message.int64(1) } }
    package var prob: Float { get throws { try message.float(2) } }
    package var outputShape: [UInt64] { get throws { try message.uint64s(3) } }
  }
  /// `CoreML.Specification.RandomBernoulliDynamicLayerParams`
  package struct RandomBernoulliDynamicLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var seed: Int64 { get throws { try message.int64(1) } }
    package var prob: Float { get throws { try message.float(2) } }
  }
  /// `CoreML.Specification.CategoricalDistributionLayerParams`
  package struct CategoricalDistributionLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var seed: Int64 { get throws { try message.int64(1) } }
    package var numSamples: Int64 { get throws { try message.int64(2) } }
    package var isLogits: Bool { get throws { try message.bool(3) } }
    package var eps: Float { get throws { try message.float(4) } }
    package var temperature: Float { get throws { try message.float(5) } }
  }
  /// `CoreML.Specification.ReduceL1LayerParams`
  package struct ReduceL1LayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axes: [Int64] { get throws { try message.int64s(1) } }
    package var keepDims: Bool { get throws { try message.bool(2) } }
    package var reduceAll: Bool { get throws { try message.bool(3) } }
  }
  /// `CoreML.Specification.ReduceL2LayerParams`
  package struct ReduceL2LayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axes: [Int64] { get throws { try message.int64s(1) } }
    package var keepDims: Bool { get throws { try message.bool(2) } }
    package var reduceAll: Bool { get throws { try message.bool(3) } }
  }
  /// `CoreML.Specification.ReduceMaxLayerParams`
  package struct ReduceMaxLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axes: [Int64] { get throws { try message.int64s(1) } }
    package var keepDims: Bool { get throws { try message.bool(2) } }
    package var reduceAll: Bool { get throws { try message.bool(3) } }
  }
  /// `CoreML.Specification.ReduceMinLayerParams`
  package struct ReduceMinLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axes: [Int64] { get throws { try message.int64s(1) } }
    package var keepDims: Bool { get throws { try message.bool(2) } }
    package var reduceAll: Bool { get throws { try message.bool(3) } }
  }
  /// `CoreML.Specification.ReduceSumLayerParams`
  package struct ReduceSumLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axes: [Int64] { get throws { try message.int64s(1) } }
    package var keepDims: Bool { get throws { try message.bool(2) } }
    package var reduceAll: Bool { get throws { try message.bool(3) } }
  }
  /// `CoreML.Specification.ReduceProdLayerParams`
  package struct ReduceProdLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axes: [Int64] { get throws { try message.int64s(1) } }
    package var keepDims: Bool { get throws { try message.bool(2) } }
    package var reduceAll: Bool { get throws { try message.bool(3) } }
  }
  /// `CoreML.Specification.ReduceMeanLayerParams`
  package struct ReduceMeanLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axes: [Int64] { get throws { try message.int64s(1) } }
    package var keepDims: Bool { get throws { try message.bool(2) } }
    package var reduceAll: Bool { get throws { try message.bool(3) } }
  }
  /// `CoreML.Specification.ReduceLogSumLayerParams`
  package struct ReduceLogSumLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axes: [Int64] { get throws { try message.int64s(1) } }
    package var keepDims: Bool { get throws { try message.bool(2) } }
    package var reduceAll: Bool { get throws { try message.bool(3) } }
  }
  /// `CoreML.Specification.ReduceSumSquareLayerParams`
  package struct ReduceSumSquareLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axes: [Int64] { get throws { try message.int64s(1) } }
    package var keepDims: Bool { get throws { try message.bool(2) } }
    package var reduceAll: Bool { get throws { try message.bool(3) } }
  }
  /// `CoreML.Specification.ReduceLogSumExpLayerParams`
  package struct ReduceLogSumExpLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axes: [Int64] { get throws { try message.int64s(1) } }
    package var keepDims: Bool { get throws { try message.bool(2) } }
    package var reduceAll: Bool { get throws { try message.bool(3) } }
  }
  /// `CoreML.Specification.ExpandDimsLayerParams`
  package struct ExpandDimsLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axes: [Int64] { get throws { try message.int64s(1) } }
  }
  /// `CoreML.Specification.FlattenTo2DLayerParams`
  package struct FlattenTo2DLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
  }
  /// `CoreML.Specification.ReshapeStaticLayerParams`
  package struct ReshapeStaticLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var targetShape: [Int64] { get throws { try message.int64s(1) } }
  }
  /// `CoreML.Specification.ReshapeLikeLayerParams`
  package struct ReshapeLikeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.ReshapeDynamicLayerParams`
  package struct ReshapeDynamicLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.SqueezeLayerParams`
  package struct SqueezeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axes: [Int64] { get throws { try message.int64s(1) } }
    package var squeezeAll: Bool { get throws { try message.bool(2) } }
  }
  /// `CoreML.Specification.TopKLayerParams`
  package struct TopKLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
    package var k: UInt64 { get throws { try message.uint64(2) } }
    package var useBottomK: Bool { get throws { try message.bool(3) } }
  }
  /// `CoreML.Specification.ArgMaxLayerParams`
  package struct ArgMaxLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
    package var removeDim: Bool { get throws { try message.bool(2) } }
  }
  /// `CoreML.Specification.ArgMinLayerParams`
  package struct ArgMinLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
    package var removeDim: Bool { get throws { try message.bool(2) } }
  }
  /// `CoreML.Specification.SplitNDLayerParams`
  package struct SplitNDLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
    package var numSplits: UInt64 { get throws { try message.uint64(2) } }
    package var splitSizes: [UInt64] { get throws { try message.uint64s(3) } }
  }
  /// `CoreML.Specification.CeilLayerParams`
  package struct CeilLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.RoundLayerParams`
  package struct RoundLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.FloorLayerParams`
  package struct FloorLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.SignLayerParams`
  package struct SignLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.ClipLayerParams`
  package struct ClipLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var minVal: Float { get throws { try message.float(1) } }
    package var maxVal: Float { get throws { try message.float(2) } }
  }
  /// `CoreML.Specification.SliceStaticLayerParams`
  package struct SliceStaticLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var beginIds: [Int64] { get throws { try message.int64s(1) } }
    package var beginMasks: [Bool] { get throws { try message.bools(2) } }
    package var endIds: [Int64] { get throws { try message.int64s(3) } }
    package var endMasks: [Bool] { get throws { try message.bools(4) } }
    package var strides: [Int64] { get throws { try message.int64s(5) } }
    package var squeezeMasks: [Bool] { get throws { try message.bools(6) } }
  }
  /// `CoreML.Specification.SliceDynamicLayerParams`
  package struct SliceDynamicLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var beginMasks: [Bool] { get throws { try message.bools(2) } }
    package var endIds: [Int64] { get throws { try message.int64s(3) } }
    package var endMasks: [Bool] { get throws { try message.bools(4) } }
    package var strides: [Int64] { get throws { try message.int64s(5) } }
    package var squeezeMasks: [Bool] { get throws { try message.bools(6) } }
  }
  /// `CoreML.Specification.TileLayerParams`
  package struct TileLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var reps: [UInt64] { get throws { try message.uint64s(1) } }
  }
  /// `CoreML.Specification.GetShapeLayerParams`
  package struct GetShapeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.ErfLayerParams`
  package struct ErfLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.GeluLayerParams`
  package struct GeluLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var mode: Specification.GeluLayerParams.GeluMode { get throws { try message.value(1, Specification.GeluLayerParams.GeluMode.self) } }
    package enum GeluMode: Int32, Sendable, CaseIterable {
      case exact = 0
      case tanhApproximation = 1
      case sigmoidApproximation = 2
    }
  }
  /// `CoreML.Specification.RangeStaticLayerParams`
  package struct RangeStaticLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var endValue: Float { get throws { try message.float(1) } }
    package var startValue: Float { get throws { try message.float(2) } }
    package var stepSizeValue: Float { get throws { try message.float(3) } }
  }
  /// `CoreML.Specification.RangeDynamicLayerParams`
  package struct RangeDynamicLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var startValue: Float { get throws { try message.float(2) } }
    package var stepSizeValue: Float { get throws { try message.float(3) } }
  }
  /// `CoreML.Specification.SlidingWindowsLayerParams`
  package struct SlidingWindowsLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
    package var windowSize: UInt64 { get throws { try message.uint64(2) } }
    package var step: UInt64 { get throws { try message.uint64(3) } }
  }
  /// `CoreML.Specification.LayerNormalizationLayerParams`
  package struct LayerNormalizationLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var normalizedShape: [Int64] { get throws { try message.int64s(1) } }
    package var eps: Float { get throws { try message.float(2) } }
    package var gamma: Specification.WeightParams? { get throws { try message.message(3).map(Specification.WeightParams.init) } }
    package var beta: Specification.WeightParams? { get throws { try message.message(4).map(Specification.WeightParams.init) } }
  }
  /// `CoreML.Specification.NonMaximumSuppressionLayerParams`
  package struct NonMaximumSuppressionLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var iouThreshold: Float { get throws { try message.float(1) } }
    package var scoreThreshold: Float { get throws { try message.float(2) } }
    package var maxBoxes: UInt64 { get throws { try message.uint64(3) } }
    package var perClassSuppression: Bool { get throws { try message.bool(4) } }
  }
  /// `CoreML.Specification.ClampedReLULayerParams`
  package struct ClampedReLULayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: Float { get throws { try message.float(1) } }
    package var beta: Float { get throws { try message.float(2) } }
  }
  /// `CoreML.Specification.ArgSortLayerParams`
  package struct ArgSortLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
    package var descending: Bool { get throws { try message.bool(2) } }
  }
  /// `CoreML.Specification.SliceBySizeLayerParams`
  package struct SliceBySizeLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var size: Int64 { get throws { try message.int64(2) } }
    package var axis: Int64 { get throws { try message.int64(3) } }
  }
  /// `CoreML.Specification.NeuralNetworkClassifier`
  package struct NeuralNetworkClassifier: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var layers: Views<Specification.NeuralNetworkLayer> { get throws { try message.views(1, Specification.NeuralNetworkLayer.self) } }
    package var preprocessing: Views<Specification.NeuralNetworkPreprocessing> { get throws { try message.views(2, Specification.NeuralNetworkPreprocessing.self) } }
    package var arrayInputShapeMapping: Specification.NeuralNetworkMultiArrayShapeMapping { get throws { try message.value(5, Specification.NeuralNetworkMultiArrayShapeMapping.self) } }
    package var imageInputShapeMapping: Specification.NeuralNetworkImageShapeMapping { get throws { try message.value(6, Specification.NeuralNetworkImageShapeMapping.self) } }
    package var updateParams: Specification.NetworkUpdateParameters? { get throws { try message.message(10).map(Specification.NetworkUpdateParameters.init) } }
    package var stringClassLabels: Specification.StringVector? { get throws { try message.message(100, of: Self.classLabelsFields).map(Specification.StringVector.init) } }
    package var int64ClassLabels: Specification.Int64Vector? { get throws { try message.message(101, of: Self.classLabelsFields).map(Specification.Int64Vector.init) } }
    package var labelProbabilityLayerName: String { get throws { try message.string(200) } }
    static let classLabelsFields = [100, 101]
    package enum OneOfClassLabels: Sendable {
      case stringClassLabels(Specification.StringVector)
      case int64ClassLabels(Specification.Int64Vector)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(100, "stringClassLabels", .stringClassLabels(Specification.StringVector(Message()))),
          OneOfMember(101, "int64ClassLabels", .int64ClassLabels(Specification.Int64Vector(Message()))),
        ]
      }
    }
    package var classLabels: OneOfClassLabels? {
      get throws {
        guard let member = try message.member(of: Self.classLabelsFields) else { return nil }
        switch member.number {
        case 100: return .stringClassLabels(Specification.StringVector(try member.message()))
        case 101: return .int64ClassLabels(Specification.Int64Vector(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.OneHotLayerParams`
  package struct OneHotLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var oneHotVectorSize: UInt64 { get throws { try message.uint64(1) } }
    package var axis: Int64 { get throws { try message.int64(2) } }
    package var onValue: Float { get throws { try message.float(3) } }
    package var offValue: Float { get throws { try message.float(4) } }
  }
  /// `CoreML.Specification.CumSumLayerParams`
  package struct CumSumLayerParams: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var axis: Int64 { get throws { try message.int64(1) } }
    package var excludeFinalSum: Bool { get throws { try message.bool(2) } }
    package var reverse: Bool { get throws { try message.bool(3) } }
  }
  /// `CoreML.Specification.NeuralNetworkRegressor`
  package struct NeuralNetworkRegressor: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var layers: Views<Specification.NeuralNetworkLayer> { get throws { try message.views(1, Specification.NeuralNetworkLayer.self) } }
    package var preprocessing: Views<Specification.NeuralNetworkPreprocessing> { get throws { try message.views(2, Specification.NeuralNetworkPreprocessing.self) } }
    package var arrayInputShapeMapping: Specification.NeuralNetworkMultiArrayShapeMapping { get throws { try message.value(5, Specification.NeuralNetworkMultiArrayShapeMapping.self) } }
    package var imageInputShapeMapping: Specification.NeuralNetworkImageShapeMapping { get throws { try message.value(6, Specification.NeuralNetworkImageShapeMapping.self) } }
    package var updateParams: Specification.NetworkUpdateParameters? { get throws { try message.message(10).map(Specification.NetworkUpdateParameters.init) } }
  }
  /// `CoreML.Specification.NetworkUpdateParameters`
  package struct NetworkUpdateParameters: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var lossLayers: Views<Specification.LossLayer> { get throws { try message.views(1, Specification.LossLayer.self) } }
    package var optimizer: Specification.Optimizer? { get throws { try message.message(2).map(Specification.Optimizer.init) } }
    package var epochs: Specification.Int64Parameter? { get throws { try message.message(3).map(Specification.Int64Parameter.init) } }
    package var shuffle: Specification.BoolParameter? { get throws { try message.message(10).map(Specification.BoolParameter.init) } }
    package var seed: Specification.Int64Parameter? { get throws { try message.message(20).map(Specification.Int64Parameter.init) } }
  }
  /// `CoreML.Specification.LossLayer`
  package struct LossLayer: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var name: String { get throws { try message.string(1) } }
    package var categoricalCrossEntropyLossLayer: Specification.CategoricalCrossEntropyLossLayer? { get throws { try message.message(10, of: Self.lossLayerTypeFields).map(Specification.CategoricalCrossEntropyLossLayer.init) } }
    package var meanSquaredErrorLossLayer: Specification.MeanSquaredErrorLossLayer? { get throws { try message.message(11, of: Self.lossLayerTypeFields).map(Specification.MeanSquaredErrorLossLayer.init) } }
    static let lossLayerTypeFields = [10, 11]
    package enum OneOfLossLayerType: Sendable {
      case categoricalCrossEntropyLossLayer(Specification.CategoricalCrossEntropyLossLayer)
      case meanSquaredErrorLossLayer(Specification.MeanSquaredErrorLossLayer)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(10, "categoricalCrossEntropyLossLayer", .categoricalCrossEntropyLossLayer(Specification.CategoricalCrossEntropyLossLayer(Message()))),
          OneOfMember(11, "meanSquaredErrorLossLayer", .meanSquaredErrorLossLayer(Specification.MeanSquaredErrorLossLayer(Message()))),
        ]
      }
    }
    package var lossLayerType: OneOfLossLayerType? {
      get throws {
        guard let member = try message.member(of: Self.lossLayerTypeFields) else { return nil }
        switch member.number {
        case 10: return .categoricalCrossEntropyLossLayer(Specification.CategoricalCrossEntropyLossLayer(try member.message()))
        case 11: return .meanSquaredErrorLossLayer(Specification.MeanSquaredErrorLossLayer(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.CategoricalCrossEntropyLossLayer`
  package struct CategoricalCrossEntropyLossLayer: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var input: String { get throws { try message.string(1) } }
    package var target: String { get throws { try message.string(2) } }
  }
  /// `CoreML.Specification.MeanSquaredErrorLossLayer`
  package struct MeanSquaredErrorLossLayer: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var input: String { get throws { try message.string(1) } }
    package var target: String { get throws { try message.string(2) } }
  }
  /// `CoreML.Specification.Optimizer`
  package struct Optimizer: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var sgdOptimizer: Specification.SGDOptimizer? { get throws { try message.message(10, of: Self.optimizerTypeFields).map(Specification.SGDOptimizer.init) } }
    package var adamOptimizer: Specification.AdamOptimizer? { get throws { try message.message(11, of: Self.optimizerTypeFields).map(Specification.AdamOptimizer.init) } }
    static let optimizerTypeFields = [10, 11]
    package enum OneOfOptimizerType: Sendable {
      case sgdOptimizer(Specification.SGDOptimizer)
      case adamOptimizer(Specification.AdamOptimizer)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(10, "sgdOptimizer", .sgdOptimizer(Specification.SGDOptimizer(Message()))),
          OneOfMember(11, "adamOptimizer", .adamOptimizer(Specification.AdamOptimizer(Message()))),
        ]
      }
    }
    package var optimizerType: OneOfOptimizerType? {
      get throws {
        guard let member = try message.member(of: Self.optimizerTypeFields) else { return nil }
        switch member.number {
        case 10: return .sgdOptimizer(Specification.SGDOptimizer(try member.message()))
        case 11: return .adamOptimizer(Specification.AdamOptimizer(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.SGDOptimizer`
  package struct SGDOptimizer: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var learningRate: Specification.DoubleParameter? { get throws { try message.message(1).map(Specification.DoubleParameter.init) } }
    package var miniBatchSize: Specification.Int64Parameter? { get throws { try message.message(2).map(Specification.Int64Parameter.init) } }
    package var momentum: Specification.DoubleParameter? { get throws { try message.message(3).map(Specification.DoubleParameter.init) } }
  }
  /// `CoreML.Specification.AdamOptimizer`
  package struct AdamOptimizer: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var learningRate: Specification.DoubleParameter? { get throws { try message.message(1).map(Specification.DoubleParameter.init) } }
    package var miniBatchSize: Specification.Int64Parameter? { get throws { try message.message(2).map(Specification.Int64Parameter.init) } }
    package var beta1: Specification.DoubleParameter? { get throws { try message.message(3).map(Specification.DoubleParameter.init) } }
    package var beta2: Specification.DoubleParameter? { get throws { try message.message(4).map(Specification.DoubleParameter.init) } }
    package var eps: Specification.DoubleParameter? { get throws { try message.message(5).map(Specification.DoubleParameter.init) } }
  }
}
