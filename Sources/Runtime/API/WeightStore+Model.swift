import CoreMLExecution
import CoreMLImport
import CoreMLKernels

extension WeightStore {
  /// Creates the weight store of a model. Packed weights are cached on disk if the weight file is permanent.
  convenience init(_ model: ImportedModel) {
    let file = model.weightFile.flatMap { $0.isTemporary ? nil : $0.identity }
    self.init(file: file.flatMap { identity in ArtifactCache.standard.map { (identity, $0) } })
  }
}
