// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_Pipeline(_ view: Specification.Pipeline) throws {
    try each("models", try view.models) { try Specification_Model($0) }
    list("names", try view.names)
  }
  func Specification_PipelineClassifier(_ view: Specification.PipelineClassifier) throws {
    try one("pipeline", try view.pipeline) { try Specification_Pipeline($0) }
  }
  func Specification_PipelineRegressor(_ view: Specification.PipelineRegressor) throws {
    try one("pipeline", try view.pipeline) { try Specification_Pipeline($0) }
  }
  func Specification_FeatureDescription(_ view: Specification.FeatureDescription) throws {
    scalar("name", try view.name)
    scalar("shortDescription", try view.shortDescription)
    try one("type", try view.type) { try Specification_FeatureType($0) }
  }
  func Specification_Metadata(_ view: Specification.Metadata) throws {
    scalar("shortDescription", try view.shortDescription)
    scalar("versionString", try view.versionString)
    scalar("author", try view.author)
    scalar("license", try view.license)
    map("userDefined", try view.userDefined, try view.userDefinedInOrder.count) { value($0) }
  }
  func Specification_FunctionDescription(_ view: Specification.FunctionDescription) throws {
    scalar("name", try view.name)
    try each("input", try view.input) { try Specification_FeatureDescription($0) }
    try each("output", try view.output) { try Specification_FeatureDescription($0) }
    scalar("predictedFeatureName", try view.predictedFeatureName)
    scalar("predictedProbabilitiesName", try view.predictedProbabilitiesName)
    try each("state", try view.state) { try Specification_FeatureDescription($0) }
  }
  func Specification_ModelDescription(_ view: Specification.ModelDescription) throws {
    try each("input", try view.input) { try Specification_FeatureDescription($0) }
    try each("output", try view.output) { try Specification_FeatureDescription($0) }
    scalar("predictedFeatureName", try view.predictedFeatureName)
    scalar("predictedProbabilitiesName", try view.predictedProbabilitiesName)
    try each("state", try view.state) { try Specification_FeatureDescription($0) }
    try each("functions", try view.functions) { try Specification_FunctionDescription($0) }
    scalar("defaultFunctionName", try view.defaultFunctionName)
    try each("trainingInput", try view.trainingInput) { try Specification_FeatureDescription($0) }
    try one("metadata", try view.metadata) { try Specification_Metadata($0) }
  }
  func Specification_SerializedModel(_ view: Specification.SerializedModel) throws {
    scalar("identifier", try view.identifier)
    scalar("model", try view.model)
  }
  func Specification_Model(_ view: Specification.Model) throws {
    scalar("specificationVersion", try view.specificationVersion)
    try one("description", try view.description) { try Specification_ModelDescription($0) }
    scalar("isUpdatable", try view.isUpdatable)
    try one("pipelineClassifier", try view.pipelineClassifier) { try Specification_PipelineClassifier($0) }
    try one("pipelineRegressor", try view.pipelineRegressor) { try Specification_PipelineRegressor($0) }
    try one("pipeline", try view.pipeline) { try Specification_Pipeline($0) }
    try one("glmRegressor", try view.glmRegressor) { try Specification_GLMRegressor($0) }
    try one("supportVectorRegressor", try view.supportVectorRegressor) { try Specification_SupportVectorRegressor($0) }
    try one("treeEnsembleRegressor", try view.treeEnsembleRegressor) { try Specification_TreeEnsembleRegressor($0) }
    try one("neuralNetworkRegressor", try view.neuralNetworkRegressor) { try Specification_NeuralNetworkRegressor($0) }
    try one("bayesianProbitRegressor", try view.bayesianProbitRegressor) { try Specification_BayesianProbitRegressor($0) }
    try one("glmClassifier", try view.glmClassifier) { try Specification_GLMClassifier($0) }
    try one("supportVectorClassifier", try view.supportVectorClassifier) { try Specification_SupportVectorClassifier($0) }
    try one("treeEnsembleClassifier", try view.treeEnsembleClassifier) { try Specification_TreeEnsembleClassifier($0) }
    try one("neuralNetworkClassifier", try view.neuralNetworkClassifier) { try Specification_NeuralNetworkClassifier($0) }
    try one("kNearestNeighborsClassifier", try view.kNearestNeighborsClassifier) { try Specification_KNearestNeighborsClassifier($0) }
    try one("neuralNetwork", try view.neuralNetwork) { try Specification_NeuralNetwork($0) }
    try one("itemSimilarityRecommender", try view.itemSimilarityRecommender) { try Specification_ItemSimilarityRecommender($0) }
    try one("mlProgram", try view.mlProgram) { try MILSpec_Program($0) }
    try one("customModel", try view.customModel) { try Specification_CustomModel($0) }
    try one("linkedModel", try view.linkedModel) { try Specification_LinkedModel($0) }
    try one("classConfidenceThresholding", try view.classConfidenceThresholding) { try Specification_ClassConfidenceThresholding($0) }
    try one("oneHotEncoder", try view.oneHotEncoder) { try Specification_OneHotEncoder($0) }
    try one("imputer", try view.imputer) { try Specification_Imputer($0) }
    try one("featureVectorizer", try view.featureVectorizer) { try Specification_FeatureVectorizer($0) }
    try one("dictVectorizer", try view.dictVectorizer) { try Specification_DictVectorizer($0) }
    try one("scaler", try view.scaler) { try Specification_Scaler($0) }
    try one("categoricalMapping", try view.categoricalMapping) { try Specification_CategoricalMapping($0) }
    try one("normalizer", try view.normalizer) { try Specification_Normalizer($0) }
    try one("arrayFeatureExtractor", try view.arrayFeatureExtractor) { try Specification_ArrayFeatureExtractor($0) }
    try one("nonMaximumSuppression", try view.nonMaximumSuppression) { try Specification_NonMaximumSuppression($0) }
    try one("identity", try view.identity) { try Specification_Identity($0) }
    try one("textClassifier", try view.textClassifier) { try CoreMLModels_TextClassifier($0) }
    try one("wordTagger", try view.wordTagger) { try CoreMLModels_WordTagger($0) }
    try one("visionFeaturePrint", try view.visionFeaturePrint) { try CoreMLModels_VisionFeaturePrint($0) }
    try one("soundAnalysisPreprocessing", try view.soundAnalysisPreprocessing) { try CoreMLModels_SoundAnalysisPreprocessing($0) }
    try one("gazetteer", try view.gazetteer) { try CoreMLModels_Gazetteer($0) }
    try one("wordEmbedding", try view.wordEmbedding) { try CoreMLModels_WordEmbedding($0) }
    try one("audioFeaturePrint", try view.audioFeaturePrint) { try CoreMLModels_AudioFeaturePrint($0) }
    try one("serializedModel", try view.serializedModel) { try Specification_SerializedModel($0) }
    switch try view.type {
    case .pipelineClassifier?: oneOf("Type", "pipelineClassifier")
    case .pipelineRegressor?: oneOf("Type", "pipelineRegressor")
    case .pipeline?: oneOf("Type", "pipeline")
    case .glmRegressor?: oneOf("Type", "glmRegressor")
    case .supportVectorRegressor?: oneOf("Type", "supportVectorRegressor")
    case .treeEnsembleRegressor?: oneOf("Type", "treeEnsembleRegressor")
    case .neuralNetworkRegressor?: oneOf("Type", "neuralNetworkRegressor")
    case .bayesianProbitRegressor?: oneOf("Type", "bayesianProbitRegressor")
    case .glmClassifier?: oneOf("Type", "glmClassifier")
    case .supportVectorClassifier?: oneOf("Type", "supportVectorClassifier")
    case .treeEnsembleClassifier?: oneOf("Type", "treeEnsembleClassifier")
    case .neuralNetworkClassifier?: oneOf("Type", "neuralNetworkClassifier")
    case .kNearestNeighborsClassifier?: oneOf("Type", "kNearestNeighborsClassifier")
    case .neuralNetwork?: oneOf("Type", "neuralNetwork")
    case .itemSimilarityRecommender?: oneOf("Type", "itemSimilarityRecommender")
    case .mlProgram?: oneOf("Type", "mlProgram")
    case .customModel?: oneOf("Type", "customModel")
    case .linkedModel?: oneOf("Type", "linkedModel")
    case .classConfidenceThresholding?: oneOf("Type", "classConfidenceThresholding")
    case .oneHotEncoder?: oneOf("Type", "oneHotEncoder")
    case .imputer?: oneOf("Type", "imputer")
    case .featureVectorizer?: oneOf("Type", "featureVectorizer")
    case .dictVectorizer?: oneOf("Type", "dictVectorizer")
    case .scaler?: oneOf("Type", "scaler")
    case .categoricalMapping?: oneOf("Type", "categoricalMapping")
    case .normalizer?: oneOf("Type", "normalizer")
    case .arrayFeatureExtractor?: oneOf("Type", "arrayFeatureExtractor")
    case .nonMaximumSuppression?: oneOf("Type", "nonMaximumSuppression")
    case .identity?: oneOf("Type", "identity")
    case .textClassifier?: oneOf("Type", "textClassifier")
    case .wordTagger?: oneOf("Type", "wordTagger")
    case .visionFeaturePrint?: oneOf("Type", "visionFeaturePrint")
    case .soundAnalysisPreprocessing?: oneOf("Type", "soundAnalysisPreprocessing")
    case .gazetteer?: oneOf("Type", "gazetteer")
    case .wordEmbedding?: oneOf("Type", "wordEmbedding")
    case .audioFeaturePrint?: oneOf("Type", "audioFeaturePrint")
    case .serializedModel?: oneOf("Type", "serializedModel")
    case nil: break
    }
  }
}
