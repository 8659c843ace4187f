// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLBase

extension Specification {
  /// `CoreML.Specification.Pipeline`
  package struct Pipeline: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var models: Views<Specification.Model> { get throws { try message.views(1, Specification.Model.self) } }
    package var names: [String] { get throws { try message.strings(2) } }
  }
  /// `CoreML.Specification.PipelineClassifier`
  package struct PipelineClassifier: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var pipeline: Specification.Pipeline? { get throws { try message.message(1).map(Specification.Pipeline.init) } }
  }
  /// `CoreML.Specification.PipelineRegressor`
  package struct PipelineRegressor: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var pipeline: Specification.Pipeline? { get throws { try message.message(1).map(Specification.Pipeline.init) } }
  }
  /// `CoreML.Specification.FeatureDescription`
  package struct FeatureDescription: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var name: String { get throws { try message.string(1) } }
    package var shortDescription: String { get throws { try message.string(2) } }
    package var type: Specification.FeatureType? { get throws { try message.message(3).map(Specification.FeatureType.init) } }
  }
  /// `CoreML.Specification.Metadata`
  package struct Metadata: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var shortDescription: String { get throws { try message.string(1) } }
    package var versionString: String { get throws { try message.string(2) } }
    package var author: String { get throws { try message.string(3) } }
    package var license: String { get throws { try message.string(4) } }
    package var userDefined: [String: String] { get throws { Dictionary(entries: try userDefinedInOrder) } }
    package var userDefinedInOrder: [(key: String, value: String)] { get throws { try message.entries(100) { (try $0.string(1), try $0.string(2)) } } }
  }
  /// `CoreML.Specification.FunctionDescription`
  package struct FunctionDescription: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var name: String { get throws { try message.string(1) } }
    package var input: Views<Specification.FeatureDescription> { get throws { try message.views(2, Specification.FeatureDescription.self) } }
    package var output: Views<Specification.FeatureDescription> { get throws { try message.views(3, Specification.FeatureDescription.self) } }
    package var state: Views<Specification.FeatureDescription> { get throws { try message.views(6, Specification.FeatureDescription.self) } }
    package var predictedFeatureName: String { get throws { try message.string(4) } }
    package var predictedProbabilitiesName: String { get throws { try message.string(5) } }
  }
  /// `CoreML.Specification.ModelDescription`
  package struct ModelDescription: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var functions: Views<Specification.FunctionDescription> { get throws { try message.views(20, Specification.FunctionDescription.self) } }
    package var defaultFunctionName: String { get throws { try message.string(21) } }
    package var metadata: Specification.Metadata? { get throws { try message.message(100).map(Specification.Metadata.init) } }
    package var input: Views<Specification.FeatureDescription> { get throws { try message.views(1, Specification.FeatureDescription.self) } }
    package var output: Views<Specification.FeatureDescription> { get throws { try message.views(10, Specification.FeatureDescription.self) } }
    package var state: Views<Specification.FeatureDescription> { get throws { try message.views(13, Specification.FeatureDescription.self) } }
    package var predictedFeatureName: String { get throws { try message.string(11) } }
    package var predictedProbabilitiesName: String { get throws { try message.string(12) } }
    package var trainingInput: Views<Specification.FeatureDescription> { get throws { try message.views(50, Specification.FeatureDescription.self) } }
  }
  /// `CoreML.Specification.SerializedModel`
  package struct SerializedModel: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var identifier: String { get throws { try message.string(1) } }
    package var model: Bytes { get throws { try message.bytes(2) } }
  }
  /// `CoreML.Specification.Model`
  package struct Model: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var specificationVersion: Int32 { get throws { try message.int32(1) } }
    package var description: Specification.ModelDescription? { get throws { try message.message(2).map(Specification.ModelDescription.init) } }
    package var isUpdatable: Bool { get throws { try message.bool(10) } }
    package var pipelineClassifier: Specification.PipelineClassifier? { get throws { try message.message(200, of: Self.typeFields).map(Specification.PipelineClassifier.init) } }
    package var pipelineRegressor: Specification.PipelineRegressor? { get throws { try message.message(201, of: Self.typeFields).map(Specification.PipelineRegressor.init) } }
    package var pipeline: Specification.Pipeline? { get throws { try message.message(202, of: Self.typeFields).map(Specification.Pipeline.init) } }
    package var glmRegressor: Specification.GLMRegressor? { get throws { try message.message(300, of: Self.typeFields).map(Specification.GLMRegressor.init) } }
    package var supportVectorRegressor: Specification.SupportVectorRegressor? { get throws { try message.message(301, of: Self.typeFields).map(Specification.SupportVectorRegressor.init) } }
    package var treeEnsembleRegressor: Specification.TreeEnsembleRegressor? { get throws { try message.message(302, of: Self.typeFields).map(Specification.TreeEnsembleRegressor.init) } }
    package var neuralNetworkRegressor: Specification.NeuralNetworkRegressor? { get throws { try message.message(303, of: Self.typeFields).map(Specification.NeuralNetworkRegressor.init) } }
    package var bayesianProbitRegressor: Specification.BayesianProbitRegressor? { get throws { try message.message(304, of: Self.typeFields).map(Specification.BayesianProbitRegressor.init) } }
    package var glmClassifier: Specification.GLMClassifier? { get throws { try message.message(400, of: Self.typeFields).map(Specification.GLMClassifier.init) } }
    package var supportVectorClassifier: Specification.SupportVectorClassifier? { get throws { try message.message(401, of: Self.typeFields).map(Specification.SupportVectorClassifier.init) } }
    package var treeEnsembleClassifier: Specification.TreeEnsembleClassifier? { get throws { try message.message(402, of: Self.typeFields).map(Specification.TreeEnsembleClassifier.init) } }
    package var neuralNetworkClassifier: Specification.NeuralNetworkClassifier? { get throws { try message.message(403, of: Self.typeFields).map(Specification.NeuralNetworkClassifier.init) } }
    package var kNearestNeighborsClassifier: Specification.KNearestNeighborsClassifier? { get throws { try message.message(404, of: Self.typeFields).map(Specification.KNearestNeighborsClassifier.init) } }
    package var neuralNetwork: Specification.NeuralNetwork? { get throws { try message.message(500, of: Self.typeFields).map(Specification.NeuralNetwork.init) } }
    package var itemSimilarityRecommender: Specification.ItemSimilarityRecommender? { get throws { try message.message(501, of: Self.typeFields).map(Specification.ItemSimilarityRecommender.init) } }
    package var mlProgram: MILSpec.Program? { get throws { try message.message(502, of: Self.typeFields).map(MILSpec.Program.init) } }
    package var customModel: Specification.CustomModel? { get throws { try message.message(555, of: Self.typeFields).map(Specification.CustomModel.init) } }
    package var linkedModel: Specification.LinkedModel? { get throws { try message.message(556, of: Self.typeFields).map(Specification.LinkedModel.init) } }
    package var classConfidenceThresholding: Specification.ClassConfidenceThresholding? { get throws { try message.message(560, of: Self.typeFields).map(Specification.ClassConfidenceThresholding.init) } }
    package var oneHotEncoder: Specification.OneHotEncoder? { get throws { try message.message(600, of: Self.typeFields).map(Specification.OneHotEncoder.init) } }
    package var imputer: Specification.Imputer? { get throws { try message.message(601, of: Self.typeFields).map(Specification.Imputer.init) } }
    package var featureVectorizer: Specification.FeatureVectorizer? { get throws { try message.message(602, of: Self.typeFields).map(Specification.FeatureVectorizer.init) } }
    package var dictVectorizer: Specification.DictVectorizer? { get throws { try message.message(603, of: Self.typeFields).map(Specification.DictVectorizer.init) } }
    package var scaler: Specification.Scaler? { get throws { try message.message(604, of: Self.typeFields).map(Specification.Scaler.init) } }
    package var categoricalMapping: Specification.CategoricalMapping? { get throws { try message.message(606, of: Self.typeFields).map(Specification.CategoricalMapping.init) } }
    package var normalizer: Specification.Normalizer? { get throws { try message.message(607, of: Self.typeFields).map(Specification.Normalizer.init) } }
    package var arrayFeatureExtractor: Specification.ArrayFeatureExtractor? { get throws { try message.message(609, of: Self.typeFields).map(Specification.ArrayFeatureExtractor.init) } }
    package var nonMaximumSuppression: Specification.NonMaximumSuppression? { get throws { try message.message(610, of: Self.typeFields).map(Specification.NonMaximumSuppression.init) } }
    package var identity: Specification.Identity? { get throws { try message.message(900, of: Self.typeFields).map(Specification.Identity.init) } }
    package var textClassifier: CoreMLModels.TextClassifier? { get throws { try message.message(2000, of: Self.typeFields).map(CoreMLModels.TextClassifier.init) } }
    package var wordTagger: CoreMLModels.WordTagger? { get throws { try message.message(2001, of: Self.typeFields).map(CoreMLModels.WordTagger.init) } }
    package var visionFeaturePrint: CoreMLModels.VisionFeaturePrint? { get throws { try message.message(2002, of: Self.typeFields).map(CoreMLModels.VisionFeaturePrint.init) } }
    package var soundAnalysisPreprocessing: CoreMLModels.SoundAnalysisPreprocessing? { get throws { try message.message(2003, of: Self.typeFields).map(CoreMLModels.SoundAnalysisPreprocessing.init) } }
    package var gazetteer: CoreMLModels.Gazetteer? { get throws { try message.message(2004, of: Self.typeFields).map(CoreMLModels.Gazetteer.init) } }
    package var wordEmbedding: CoreMLModels.WordEmbedding? { get throws { try message.message(2005, of: Self.typeFields).map(CoreMLModels.WordEmbedding.init) } }
    package var audioFeaturePrint: CoreMLModels.AudioFeaturePrint? { get throws { try message.message(2006, of: Self.typeFields).map(CoreMLModels.AudioFeaturePrint.init) } }
    package var serializedModel: Specification.SerializedModel? { get throws { try message.message(3000, of: Self.typeFields).map(Specification.SerializedModel.init) } }
    static let typeFields = [200, 201, 202, 300, 301, 302, 303, 304, 400, 401, 402, 403, 404, 500, 501, 502, 555, 556, 560, 600, 601, 602, 603, 604, 606, 607, 609, 610, 900, 2000, 2001, 2002, 2003, 2004, 2005, 2006, 3000]
    package enum OneOfType: Sendable {
      case pipelineClassifier(Specification.PipelineClassifier)
      case pipelineRegressor(Specification.PipelineRegressor)
      case pipeline(Specification.Pipeline)
      case glmRegressor(Specification.GLMRegressor)
      case supportVectorRegressor(Specification.SupportVectorRegressor)
      case treeEnsembleRegressor(Specification.TreeEnsembleRegressor)
      case neuralNetworkRegressor(Specification.NeuralNetworkRegressor)
      case bayesianProbitRegressor(Specification.BayesianProbitRegressor)
      case glmClassifier(Specification.GLMClassifier)
      case supportVectorClassifier(Specification.SupportVectorClassifier)
      case treeEnsembleClassifier(Specification.TreeEnsembleClassifier)
      case neuralNetworkClassifier(Specification.NeuralNetworkClassifier)
      case kNearestNeighborsClassifier(Specification.KNearestNeighborsClassifier)
      case neuralNetwork(Specification.NeuralNetwork)
      case itemSimilarityRecommender(Specification.ItemSimilarityRecommender)
      case mlProgram(MILSpec.Program)
      case customModel(Specification.CustomModel)
      case linkedModel(Specification.LinkedModel)
      case classConfidenceThresholding(Specification.ClassConfidenceThresholding)
      case oneHotEncoder(Specification.OneHotEncoder)
      case imputer(Specification.Imputer)
      case featureVectorizer(Specification.FeatureVectorizer)
      case dictVectorizer(Specification.DictVectorizer)
      case scaler(Specification.Scaler)
      case categoricalMapping(Specification.CategoricalMapping)
      case normalizer(Specification.Normalizer)
      case arrayFeatureExtractor(Specification.ArrayFeatureExtractor)
      case nonMaximumSuppression(Specification.NonMaximumSuppression)
      case identity(Specification.Identity)
      case textClassifier(CoreMLModels.TextClassifier)
      case wordTagger(CoreMLModels.WordTagger)
      case visionFeaturePrint(CoreMLModels.VisionFeaturePrint)
      case soundAnalysisPreprocessing(CoreMLModels.SoundAnalysisPreprocessing)
      case gazetteer(CoreMLModels.Gazetteer)
      case wordEmbedding(CoreMLModels.WordEmbedding)
      case audioFeaturePrint(CoreMLModels.AudioFeaturePrint)
      case serializedModel(Specification.SerializedModel)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(200, "pipelineClassifier", .pipelineClassifier(Specification.PipelineClassifier(Message()))),
          OneOfMember(201, "pipelineRegressor", .pipelineRegressor(Specification.PipelineRegressor(Message()))),
          OneOfMember(202, "pipeline", .pipeline(Specification.Pipeline(Message()))),
          OneOfMember(300, "glmRegressor", .glmRegressor(Specification.GLMRegressor(Message()))),
          OneOfMember(301, "supportVectorRegressor", .supportVectorRegressor(Specification.SupportVectorRegressor(Message()))),
          OneOfMember(302, "treeEnsembleRegressor", .treeEnsembleRegressor(Specification.TreeEnsembleRegressor(Message()))),
          OneOfMember(303, "neuralNetworkRegressor", .neuralNetworkRegressor(Specification.NeuralNetworkRegressor(Message()))),
          OneOfMember(304, "bayesianProbitRegressor", .bayesianProbitRegressor(Specification.BayesianProbitRegressor(Message()))),
          OneOfMember(400, "glmClassifier", .glmClassifier(Specification.GLMClassifier(Message()))),
          OneOfMember(401, "supportVectorClassifier", .supportVectorClassifier(Specification.SupportVectorClassifier(Message()))),
          OneOfMember(402, "treeEnsembleClassifier", .treeEnsembleClassifier(Specification.TreeEnsembleClassifier(Message()))),
          OneOfMember(403, "neuralNetworkClassifier", .neuralNetworkClassifier(Specification.NeuralNetworkClassifier(Message()))),
          OneOfMember(404, "kNearestNeighborsClassifier", .kNearestNeighborsClassifier(Specification.KNearestNeighborsClassifier(Message()))),
          OneOfMember(500, "neuralNetwork", .neuralNetwork(Specification.NeuralNetwork(Message()))),
          OneOfMember(501, "itemSimilarityRecommender", .itemSimilarityRecommender(Specification.ItemSimilarityRecommender(Message()))),
          OneOfMember(502, "mlProgram", .mlProgram(MILSpec.Program(Message()))),
          OneOfMember(555, "customModel", .customModel(Specification.CustomModel(Message()))),
          OneOfMember(556, "linkedModel", .linkedModel(Specification.LinkedModel(Message()))),
          OneOfMember(560, "classConfidenceThresholding", .classConfidenceThresholding(Specification.ClassConfidenceThresholding(Message()))),
          OneOfMember(600, "oneHotEncoder", .oneHotEncoder(Specification.OneHotEncoder(Message()))),
          OneOfMember(601, "imputer", .imputer(Specification.Imputer(Message()))),
          OneOfMember(602, "featureVectorizer", .featureVectorizer(Specification.FeatureVectorizer(Message()))),
          OneOfMember(603, "dictVectorizer", .dictVectorizer(Specification.DictVectorizer(Message()))),
          OneOfMember(604, "scaler", .scaler(Specification.Scaler(Message()))),
          OneOfMember(606, "categoricalMapping", .categoricalMapping(Specification.CategoricalMapping(Message()))),
          OneOfMember(607, "normalizer", .normalizer(Specification.Normalizer(Message()))),
          OneOfMember(609, "arrayFeatureExtractor", .arrayFeatureExtractor(Specification.ArrayFeatureExtractor(Message()))),
          OneOfMember(610, "nonMaximumSuppression", .nonMaximumSuppression(Specification.NonMaximumSuppression(Message()))),
          OneOfMember(900, "identity", .identity(Specification.Identity(Message()))),
          OneOfMember(2000, "textClassifier", .textClassifier(CoreMLModels.TextClassifier(Message()))),
          OneOfMember(2001, "wordTagger", .wordTagger(CoreMLModels.WordTagger(Message()))),
          OneOfMember(2002, "visionFeaturePrint", .visionFeaturePrint(CoreMLModels.VisionFeaturePrint(Message()))),
          OneOfMember(2003, "soundAnalysisPreprocessing", .soundAnalysisPreprocessing(CoreMLModels.SoundAnalysisPreprocessing(Message()))),
          OneOfMember(2004, "gazetteer", .gazetteer(CoreMLModels.Gazetteer(Message()))),
          OneOfMember(2005, "wordEmbedding", .wordEmbedding(CoreMLModels.WordEmbedding(Message()))),
          OneOfMember(2006, "audioFeaturePrint", .audioFeaturePrint(CoreMLModels.AudioFeaturePrint(Message()))),
          OneOfMember(3000, "serializedModel", .serializedModel(Specification.SerializedModel(Message()))),
        ]
      }
    }
    package var type: OneOfType? {
      get throws {
        guard let member = try message.member(of: Self.typeFields) else { return nil }
        switch member.number {
        case 200: return .pipelineClassifier(Specification.PipelineClassifier(try member.message()))
        case 201: return .pipelineRegressor(Specification.PipelineRegressor(try member.message()))
        case 202: return .pipeline(Specification.Pipeline(try member.message()))
        case 300: return .glmRegressor(Specification.GLMRegressor(try member.message()))
        case 301: return .supportVectorRegressor(Specification.SupportVectorRegressor(try member.message()))
        case 302: return .treeEnsembleRegressor(Specification.TreeEnsembleRegressor(try member.message()))
        case 303: return .neuralNetworkRegressor(Specification.NeuralNetworkRegressor(try member.message()))
        case 304: return .bayesianProbitRegressor(Specification.BayesianProbitRegressor(try member.message()))
        case 400: return .glmClassifier(Specification.GLMClassifier(try member.message()))
        case 401: return .supportVectorClassifier(Specification.SupportVectorClassifier(try member.message()))
        case 402: return .treeEnsembleClassifier(Specification.TreeEnsembleClassifier(try member.message()))
        case 403: return .neuralNetworkClassifier(Specification.NeuralNetworkClassifier(try member.message()))
        case 404: return .kNearestNeighborsClassifier(Specification.KNearestNeighborsClassifier(try member.message()))
        case 500: return .neuralNetwork(Specification.NeuralNetwork(try member.message()))
        case 501: return .itemSimilarityRecommender(Specification.ItemSimilarityRecommender(try member.message()))
        case 502: return .mlProgram(MILSpec.Program(try member.message()))
        case 555: return .customModel(Specification.CustomModel(try member.message()))
        case 556: return .linkedModel(Specification.LinkedModel(try member.message()))
        case 560: return .classConfidenceThresholding(Specification.ClassConfidenceThresholding(try member.message()))
        case 600: return .oneHotEncoder(Specification.OneHotEncoder(try member.message()))
        case 601: return .imputer(Specification.Imputer(try member.message()))
        case 602: return .featureVectorizer(Specification.FeatureVectorizer(try member.message()))
        case 603: return .dictVectorizer(Specification.DictVectorizer(try member.message()))
        case 604: return .scaler(Specification.Scaler(try member.message()))
        case 606: return .categoricalMapping(Specification.CategoricalMapping(try member.message()))
        case 607: return .normalizer(Specification.Normalizer(try member.message()))
        case 609: return .arrayFeatureExtractor(Specification.ArrayFeatureExtractor(try member.message()))
        case 610: return .nonMaximumSuppression(Specification.NonMaximumSuppression(try member.message()))
        case 900: return .identity(Specification.Identity(try member.message()))
        case 2000: return .textClassifier(CoreMLModels.TextClassifier(try member.message()))
        case 2001: return .wordTagger(CoreMLModels.WordTagger(try member.message()))
        case 2002: return .visionFeaturePrint(CoreMLModels.VisionFeaturePrint(try member.message()))
        case 2003: return .soundAnalysisPreprocessing(CoreMLModels.SoundAnalysisPreprocessing(try member.message()))
        case 2004: return .gazetteer(CoreMLModels.Gazetteer(try member.message()))
        case 2005: return .wordEmbedding(CoreMLModels.WordEmbedding(try member.message()))
        case 2006: return .audioFeaturePrint(CoreMLModels.AudioFeaturePrint(try member.message()))
        case 3000: return .serializedModel(Specification.SerializedModel(try member.message()))
        default: return nil
        }
      }
    }
  }
}
