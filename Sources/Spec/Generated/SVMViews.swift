// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.LinearKernel`
  public struct LinearKernel: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.RBFKernel`
  public struct RBFKernel: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var gamma: Double { get throws { try message.double(1) } }
  }
  /// `CoreML.Specification.PolyKernel`
  public struct PolyKernel: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var degree: Int32 { get throws { try message.int32(1) } }
    public var c: Double { get throws { try message.double(2) } }
    public var gamma: Double { get throws { try message.double(3) } }
  }
  /// `CoreML.Specification.SigmoidKernel`
  public struct SigmoidKernel: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var gamma: Double { get throws { try message.double(1) } }
    public var c: Double { get throws { try message.double(2) } }
  }
  /// `CoreML.Specification.Kernel`
  public struct Kernel: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var linearKernel: Specification.LinearKernel? { get throws { try message.message(1, of: Self.kernelFields).map(Specification.LinearKernel.init) } }
    public var rbfKernel: Specification.RBFKernel? { get throws { try message.message(2, of: Self.kernelFields).map(Specification.RBFKernel.init) } }
    public var polyKernel: Specification.PolyKernel? { get throws { try message.message(3, of: Self.kernelFields).map(Specification.PolyKernel.init) } }
    public var sigmoidKernel: Specification.SigmoidKernel? { get throws { try message.message(4, of: Self.kernelFields).map(Specification.SigmoidKernel.init) } }
    static let kernelFields = [1, 2, 3, 4]
    public enum OneOfKernel: Sendable {
      case linearKernel(Specification.LinearKernel)
      case rbfKernel(Specification.RBFKernel)
      case polyKernel(Specification.PolyKernel)
      case sigmoidKernel(Specification.SigmoidKernel)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "linearKernel", .linearKernel(Specification.LinearKernel(Message()))),
          OneOfMember(2, "rbfKernel", .rbfKernel(Specification.RBFKernel(Message()))),
          OneOfMember(3, "polyKernel", .polyKernel(Specification.PolyKernel(Message()))),
          OneOfMember(4, "sigmoidKernel", .sigmoidKernel(Specification.SigmoidKernel(Message()))),
        ]
      }
    }
    public var kernel: OneOfKernel? {
      get throws {
        guard let member = try message.member(of: Self.kernelFields) else { return nil }
        switch member.number {
        case 1: return .linearKernel(Specification.LinearKernel(try member.message()))
        case 2: return .rbfKernel(Specification.RBFKernel(try member.message()))
        case 3: return .polyKernel(Specification.PolyKernel(try member.message()))
        case 4: return .sigmoidKernel(Specification.SigmoidKernel(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.SparseNode`
  public struct SparseNode: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var index: Int32 { get throws { try message.int32(1) } }
    public var value: Double { get throws { try message.double(2) } }
  }
  /// `CoreML.Specification.SparseVector`
  public struct SparseVector: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var nodes: Views<Specification.SparseNode> { get throws { try message.views(1, Specification.SparseNode.self) } }
  }
  /// `CoreML.Specification.SparseSupportVectors`
  public struct SparseSupportVectors: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var vectors: Views<Specification.SparseVector> { get throws { try message.views(1, Specification.SparseVector.self) } }
  }
  /// `CoreML.Specification.DenseVector`
  public struct DenseVector: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var values: [Double] { get throws { try message.doubles(1) } }
    public var valuesBytes: Bytes { get throws { try message.doubleBytes(1) } }
  }
  /// `CoreML.Specification.DenseSupportVectors`
  public struct DenseSupportVectors: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var vectors: Views<Specification.DenseVector> { get throws { try message.views(1, Specification.DenseVector.self) } }
  }
  /// `CoreML.Specification.Coefficients`
  public struct Coefficients: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var alpha: [Double] { get throws { try message.doubles(1) } }
    public var alphaBytes: Bytes { get throws { try message.doubleBytes(1) } }
  }
  /// `CoreML.Specification.SupportVectorRegressor`
  public struct SupportVectorRegressor: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var kernel: Specification.Kernel? { get throws { try message.message(1).map(Specification.Kernel.init) } }
    public var sparseSupportVectors: Specification.SparseSupportVectors? { get throws { try message.message(2, of: Self.supportVectorsFields).map(Specification.SparseSupportVectors.init) } }
    public var denseSupportVectors: Specification.DenseSupportVectors? { get throws { try message.message(3, of: Self.supportVectorsFields).map(Specification.DenseSupportVectors.init) } }
    public var coefficients: Specification.Coefficients? { get throws { try message.message(4).map(Specification.Coefficients.init) } }
    public var rho: Double { get throws { try message.double(5) } }
    static let supportVectorsFields = [2, 3]
    public enum OneOfSupportVectors: Sendable {
      case sparseSupportVectors(Specification.SparseSupportVectors)
      case denseSupportVectors(Specification.DenseSupportVectors)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(2, "sparseSupportVectors", .sparseSupportVectors(Specification.SparseSupportVectors(Message()))),
          OneOfMember(3, "denseSupportVectors", .denseSupportVectors(Specification.DenseSupportVectors(Message()))),
        ]
      }
    }
    public var supportVectors: OneOfSupportVectors? {
      get throws {
        guard let member = try message.member(of: Self.supportVectorsFields) else { return nil }
        switch member.number {
        case 2: return .sparseSupportVectors(Specification.SparseSupportVectors(try member.message()))
        case 3: return .denseSupportVectors(Specification.DenseSupportVectors(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.SupportVectorClassifier`
  public struct SupportVectorClassifier: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var kernel: Specification.Kernel? { get throws { try message.message(1).map(Specification.Kernel.init) } }
    public var numberOfSupportVectorsPerClass: [Int32] { get throws { try message.int32s(2) } }
    public var sparseSupportVectors: Specification.SparseSupportVectors? { get throws { try message.message(3, of: Self.supportVectorsFields).map(Specification.SparseSupportVectors.init) } }
    public var denseSupportVectors: Specification.DenseSupportVectors? { get throws { try message.message(4, of: Self.supportVectorsFields).map(Specification.DenseSupportVectors.init) } }
    public var coefficients: Views<Specification.Coefficients> { get throws { try message.views(5, Specification.Coefficients.self) } }
    public var rho: [Double] { get throws { try message.doubles(6) } }
    public var rhoBytes: Bytes { get throws { try message.doubleBytes(6) } }
    public var probA: [Double] { get throws { try message.doubles(7) } }
    public var probABytes: Bytes { get throws { try message.doubleBytes(7) } }
    public var probB: [Double] { get throws { try message.doubles(8) } }
    public var probBBytes: Bytes { get throws { try message.doubleBytes(8) } }
    public var stringClassLabels: Specification.StringVector? { get throws { try message.message(100, of: Self.classLabelsFields).map(Specification.StringVector.init) } }
    public var int64ClassLabels: Specification.Int64Vector? { get throws { try message.message(101, of: Self.classLabelsFields).map(Specification.Int64Vector.init) } }
    static let supportVectorsFields = [3, 4]
    public enum OneOfSupportVectors: Sendable {
      case sparseSupportVectors(Specification.SparseSupportVectors)
      case denseSupportVectors(Specification.DenseSupportVectors)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(3, "sparseSupportVectors", .sparseSupportVectors(Specification.SparseSupportVectors(Message()))),
          OneOfMember(4, "denseSupportVectors", .denseSupportVectors(Specification.DenseSupportVectors(Message()))),
        ]
      }
    }
    public var supportVectors: OneOfSupportVectors? {
      get throws {
        guard let member = try message.member(of: Self.supportVectorsFields) else { return nil }
        switch member.number {
        case 3: return .sparseSupportVectors(Specification.SparseSupportVectors(try member.message()))
        case 4: return .denseSupportVectors(Specification.DenseSupportVectors(try member.message()))
        default: return nil
        }
      }
    }
    static let classLabelsFields = [100, 101]
    public enum OneOfClassLabels: Sendable {
      case stringClassLabels(Specification.StringVector)
      case int64ClassLabels(Specification.Int64Vector)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(100, "stringClassLabels", .stringClassLabels(Specification.StringVector(Message()))),
          OneOfMember(101, "int64ClassLabels", .int64ClassLabels(Specification.Int64Vector(Message()))),
        ]
      }
    }
    public var classLabels: OneOfClassLabels? {
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
}
