// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_KNearestNeighborsClassifier(_ view: Specification.KNearestNeighborsClassifier) throws {
    try one("nearestNeighborsIndex", try view.nearestNeighborsIndex) { try Specification_NearestNeighborsIndex($0) }
    try one("numberOfNeighbors", try view.numberOfNeighbors) { try Specification_Int64Parameter($0) }
    try one("stringClassLabels", try view.stringClassLabels) { try Specification_StringVector($0) }
    try one("int64ClassLabels", try view.int64ClassLabels) { try Specification_Int64Vector($0) }
    member("defaultStringLabel", try view.defaultStringLabel)
    member("defaultInt64Label", try view.defaultInt64Label)
    try one("uniformWeighting", try view.uniformWeighting) { try Specification_UniformWeighting($0) }
    try one("inverseDistanceWeighting", try view.inverseDistanceWeighting) { try Specification_InverseDistanceWeighting($0) }
    switch try view.classLabels {
    case .stringClassLabels?: oneOf("ClassLabels", "stringClassLabels")
    case .int64ClassLabels?: oneOf("ClassLabels", "int64ClassLabels")
    case nil: break
    }
    switch try view.defaultClassLabel {
    case .defaultStringLabel?: oneOf("DefaultClassLabel", "defaultStringLabel")
    case .defaultInt64Label?: oneOf("DefaultClassLabel", "defaultInt64Label")
    case nil: break
    }
    switch try view.weightingScheme {
    case .uniformWeighting?: oneOf("WeightingScheme", "uniformWeighting")
    case .inverseDistanceWeighting?: oneOf("WeightingScheme", "inverseDistanceWeighting")
    case nil: break
    }
  }
  func Specification_NearestNeighborsIndex(_ view: Specification.NearestNeighborsIndex) throws {
    scalar("numberOfDimensions", try view.numberOfDimensions)
    try each("floatSamples", try view.floatSamples) { try Specification_FloatVector($0) }
    try one("linearIndex", try view.linearIndex) { try Specification_LinearIndex($0) }
    try one("singleKdTreeIndex", try view.singleKdTreeIndex) { try Specification_SingleKdTreeIndex($0) }
    try one("squaredEuclideanDistance", try view.squaredEuclideanDistance) { try Specification_SquaredEuclideanDistance($0) }
    switch try view.indexType {
    case .linearIndex?: oneOf("IndexType", "linearIndex")
    case .singleKdTreeIndex?: oneOf("IndexType", "singleKdTreeIndex")
    case nil: break
    }
    switch try view.distanceFunction {
    case .squaredEuclideanDistance?: oneOf("DistanceFunction", "squaredEuclideanDistance")
    case nil: break
    }
  }
  func Specification_UniformWeighting(_ view: Specification.UniformWeighting) throws {
  }
  func Specification_InverseDistanceWeighting(_ view: Specification.InverseDistanceWeighting) throws {
  }
  func Specification_LinearIndex(_ view: Specification.LinearIndex) throws {
  }
  func Specification_SingleKdTreeIndex(_ view: Specification.SingleKdTreeIndex) throws {
    scalar("leafSize", try view.leafSize)
  }
  func Specification_SquaredEuclideanDistance(_ view: Specification.SquaredEuclideanDistance) throws {
  }
}
