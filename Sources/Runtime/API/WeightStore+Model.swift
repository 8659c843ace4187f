import CoreMLExecution
import CoreMLImport
import CoreMLKernels

extension WeightStore {
  /// The store of a model: what is packed is kept on disk where the file of the weights is known and stays.
  convenience init(_ model: ImportedModel) {
    self.init(file: model.weightFile.flatMap { file in ArtifactCache.standard.map { (file, $0) } })
  }
}
