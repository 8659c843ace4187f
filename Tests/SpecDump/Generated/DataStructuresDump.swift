// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_StringToInt64Map(_ view: Specification.StringToInt64Map) throws {
    map("map", try view.map, try view.mapInOrder.count) { value($0) }
  }
  func Specification_Int64ToStringMap(_ view: Specification.Int64ToStringMap) throws {
    map("map", try view.map, try view.mapInOrder.count) { value($0) }
  }
  func Specification_StringToDoubleMap(_ view: Specification.StringToDoubleMap) throws {
    map("map", try view.map, try view.mapInOrder.count) { value($0) }
  }
  func Specification_Int64ToDoubleMap(_ view: Specification.Int64ToDoubleMap) throws {
    map("map", try view.map, try view.mapInOrder.count) { value($0) }
  }
  func Specification_StringVector(_ view: Specification.StringVector) throws {
    list("vector", try view.vector)
  }
  func Specification_Int64Vector(_ view: Specification.Int64Vector) throws {
    list("vector", try view.vector)
  }
  func Specification_FloatVector(_ view: Specification.FloatVector) throws {
    list("vector", try view.vector, try view.vectorBytes)
  }
  func Specification_DoubleVector(_ view: Specification.DoubleVector) throws {
    list("vector", try view.vector, try view.vectorBytes)
  }
  func Specification_Int64Range(_ view: Specification.Int64Range) throws {
    scalar("minValue", try view.minValue)
    scalar("maxValue", try view.maxValue)
  }
  func Specification_Int64Set(_ view: Specification.Int64Set) throws {
    list("values", try view.values)
  }
  func Specification_DoubleRange(_ view: Specification.DoubleRange) throws {
    scalar("minValue", try view.minValue)
    scalar("maxValue", try view.maxValue)
  }
  func Specification_PrecisionRecallCurve(_ view: Specification.PrecisionRecallCurve) throws {
    try one("precisionValues", try view.precisionValues) { try Specification_FloatVector($0) }
    try one("precisionConfidenceThresholds", try view.precisionConfidenceThresholds) { try Specification_FloatVector($0) }
    try one("recallValues", try view.recallValues) { try Specification_FloatVector($0) }
    try one("recallConfidenceThresholds", try view.recallConfidenceThresholds) { try Specification_FloatVector($0) }
  }
}
