// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.KNearestNeighborsClassifier`
  package struct KNearestNeighborsClassifier: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var nearestNeighborsIndex: Specification.NearestNeighborsIndex? { get throws { try message.message(1).map(Specification.NearestNeighborsIndex.init) } }
    package var numberOfNeighbors: Specification.Int64Parameter? { get throws { try message.message(3).map(Specification.Int64Parameter.init) } }
    package var stringClassLabels: Specification.StringVector? { get throws { try message.message(100, of: Self.classLabelsFields).map(Specification.StringVector.init) } }
    package var int64ClassLabels: Specification.Int64Vector? { get throws { try message.message(101, of: Self.classLabelsFields).map(Specification.Int64Vector.init) } }
    package var defaultStringLabel: String? { get throws { try message.member(110, of: Self.defaultClassLabelFields)?.string() } }
    package var defaultInt64Label: Int64? { get throws { try message.member(111, of: Self.defaultClassLabelFields)?.int64() } }
    package var uniformWeighting: Specification.UniformWeighting? { get throws { try message.message(200, of: Self.weightingSchemeFields).map(Specification.UniformWeighting.init) } }
    package var inverseDistanceWeighting: Specification.InverseDistanceWeighting? { get throws { try message.message(210, of: Self.weightingSchemeFields).map(Specification.InverseDistanceWeighting.init) } }
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
    static let defaultClassLabelFields = [110, 111]
    package enum OneOfDefaultClassLabel: Sendable {
      case defaultStringLabel(String)
      case defaultInt64Label(Int64)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(110, "defaultStringLabel", .defaultStringLabel(String())),
          OneOfMember(111, "defaultInt64Label", .defaultInt64Label(Int64())),
        ]
      }
    }
    package var defaultClassLabel: OneOfDefaultClassLabel? {
      get throws {
        guard let member = try message.member(of: Self.defaultClassLabelFields) else { return nil }
        switch member.number {
        case 110: return .defaultStringLabel(try member.string())
        case 111: return .defaultInt64Label(try member.int64())
        default: return nil
        }
      }
    }
    static let weightingSchemeFields = [200, 210]
    package enum OneOfWeightingScheme: Sendable {
      case uniformWeighting(Specification.UniformWeighting)
      case inverseDistanceWeighting(Specification.InverseDistanceWeighting)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(200, "uniformWeighting", .uniformWeighting(Specification.UniformWeighting(Message()))),
          OneOfMember(210, "inverseDistanceWeighting", .inverseDistanceWeighting(Specification.InverseDistanceWeighting(Message()))),
        ]
      }
    }
    package var weightingScheme: OneOfWeightingScheme? {
      get throws {
        guard let member = try message.member(of: Self.weightingSchemeFields) else { return nil }
        switch member.number {
        case 200: return .uniformWeighting(Specification.UniformWeighting(try member.message()))
        case 210: return .inverseDistanceWeighting(Specification.InverseDistanceWeighting(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.NearestNeighborsIndex`
  package struct NearestNeighborsIndex: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var numberOfDimensions: Int32 { get throws { try message.int32(1) } }
    package var floatSamples: Views<Specification.FloatVector> { get throws { try message.views(2, Specification.FloatVector.self) } }
    package var linearIndex: Specification.LinearIndex? { get throws { try message.message(100, of: Self.indexTypeFields).map(Specification.LinearIndex.init) } }
    package var singleKdTreeIndex: Specification.SingleKdTreeIndex? { get throws { try message.message(110, of: Self.indexTypeFields).map(Specification.SingleKdTreeIndex.init) } }
    package var squaredEuclideanDistance: Specification.SquaredEuclideanDistance? { get throws { try message.message(200, of: Self.distanceFunctionFields).map(Specification.SquaredEuclideanDistance.init) } }
    static let indexTypeFields = [100, 110]
    package enum OneOfIndexType: Sendable {
      case linearIndex(Specification.LinearIndex)
      case singleKdTreeIndex(Specification.SingleKdTreeIndex)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(100, "linearIndex", .linearIndex(Specification.LinearIndex(Message()))),
          OneOfMember(110, "singleKdTreeIndex", .singleKdTreeIndex(Specification.SingleKdTreeIndex(Message()))),
        ]
      }
    }
    package var indexType: OneOfIndexType? {
      get throws {
        guard let member = try message.member(of: Self.indexTypeFields) else { return nil }
        switch member.number {
        case 100: return .linearIndex(Specification.LinearIndex(try member.message()))
        case 110: return .singleKdTreeIndex(Specification.SingleKdTreeIndex(try member.message()))
        default: return nil
        }
      }
    }
    static let distanceFunctionFields = [200]
    package enum OneOfDistanceFunction: Sendable {
      case squaredEuclideanDistance(Specification.SquaredEuclideanDistance)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(200, "squaredEuclideanDistance", .squaredEuclideanDistance(Specification.SquaredEuclideanDistance(Message()))),
        ]
      }
    }
    package var distanceFunction: OneOfDistanceFunction? {
      get throws {
        guard let member = try message.member(of: Self.distanceFunctionFields) else { return nil }
        switch member.number {
        case 200: return .squaredEuclideanDistance(Specification.SquaredEuclideanDistance(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.UniformWeighting`
  package struct UniformWeighting: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.InverseDistanceWeighting`
  package struct InverseDistanceWeighting: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.LinearIndex`
  package struct LinearIndex: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.SingleKdTreeIndex`
  package struct SingleKdTreeIndex: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var leafSize: Int32 { get throws { try message.int32(1) } }
  }
  /// `CoreML.Specification.SquaredEuclideanDistance`
  package struct SquaredEuclideanDistance: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
}
