import CoreMLExecution
import CoreMLImport
import CoreMLKernels

extension WeightStore {
  /// The store of a model: what is packed is kept on disk where the file of the weights stays.
  convenience init(_ model: ImportedModel) {
    let file = model.weightFile.flatMap { $0.isTemporary ? nil : $0.identity }
    self.init(file: file.flatMap { identity in ArtifactCache.standard.map { (identity, $0) } })
  }
}
