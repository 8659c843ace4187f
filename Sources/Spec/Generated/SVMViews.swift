// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLBase

extension Specification {
  /// `CoreML.Specification.LinearKernel`
  package struct LinearKernel: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.RBFKernel`
  package struct RBFKernel: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var gamma: Double { get throws { try message.double(1) } }
  }
  /// `CoreML.Specification.PolyKernel`
  package struct PolyKernel: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var degree: Int32 { get throws { try message.int32(1) } }
    package var c: Double { get throws { try message.double(2) } }
    package var gamma: Double { get throws { try message.double(3) } }
  }
  /// `CoreML.Specification.SigmoidKernel`
  package struct SigmoidKernel: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var gamma: Double { get throws { try message.double(1) } }
    package var c: Double { get throws { try message.double(2) } }
  }
  /// `CoreML.Specification.Kernel`
  package struct Kernel: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var linearKernel: Specification.LinearKernel? { get throws { try message.message(1, of: Self.kernelFields).map(Specification.LinearKernel.init) } }
    package var rbfKernel: Specification.RBFKernel? { get throws { try message.message(2, of: Self.kernelFields).map(Specification.RBFKernel.init) } }
    package var polyKernel: Specification.PolyKernel? { get throws { try message.message(3, of: Self.kernelFields).map(Specification.PolyKernel.init) } }
    package var sigmoidKernel: Specification.SigmoidKernel? { get throws { try message.message(4, of: Self.kernelFields).map(Specification.SigmoidKernel.init) } }
    static let kernelFields = [1, 2, 3, 4]
    package enum OneOfKernel: Sendable {
      case linearKernel(Specification.LinearKernel)
      case rbfKernel(Specification.RBFKernel)
      case polyKernel(Specification.PolyKernel)
      case sigmoidKernel(Specification.SigmoidKernel)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "linearKernel", .linearKernel(Specification.LinearKernel(Message()))),
          OneOfMember(2, "rbfKernel", .rbfKernel(Specification.RBFKernel(Message()))),
          OneOfMember(3, "polyKernel", .polyKernel(Specification.PolyKernel(Message()))),
          OneOfMember(4, "sigmoidKernel", .sigmoidKernel(Specification.SigmoidKernel(Message()))),
        ]
      }
    }
    package var kernel: OneOfKernel? {
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
  package struct SparseNode: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var index: Int32 { get throws { try message.int32(1) } }
    package var value: Double { get throws { try message.double(2) } }
  }
  /// `CoreML.Specification.SparseVector`
  package struct SparseVector: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var nodes: Views<Specification.SparseNode> { get throws { try message.views(1, Specification.SparseNode.self) } }
  }
  /// `CoreML.Specification.SparseSupportVectors`
  package struct SparseSupportVectors: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var vectors: Views<Specification.SparseVector> { get throws { try message.views(1, Specification.SparseVector.self) } }
  }
  /// `CoreML.Specification.DenseVector`
  package struct DenseVector: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var values: [Double] { get throws { try message.doubles(1) } }
    package var valuesBytes: Bytes { get throws { try message.doubleBytes(1) } }
  }
  /// `CoreML.Specification.DenseSupportVectors`
  package struct DenseSupportVectors: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var vectors: Views<Specification.DenseVector> { get throws { try message.views(1, Specification.DenseVector.self) } }
  }
  /// `CoreML.Specification.Coefficients`
  package struct Coefficients: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var alpha: [Double] { get throws { try message.doubles(1) } }
    package var alphaBytes: Bytes { get throws { try message.doubleBytes(1) } }
  }
  /// `CoreML.Specification.SupportVectorRegressor`
  package struct SupportVectorRegressor: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var kernel: Specification.Kernel? { get throws { try message.message(1).map(Specification.Kernel.init) } }
    package var sparseSupportVectors: Specification.SparseSupportVectors? { get throws { try message.message(2, of: Self.supportVectorsFields).map(Specification.SparseSupportVectors.init) } }
    package var denseSupportVectors: Specification.DenseSupportVectors? { get throws { try message.message(3, of: Self.supportVectorsFields).map(Specification.DenseSupportVectors.init) } }
    package var coefficients: Specification.Coefficients? { get throws { try message.message(4).map(Specification.Coefficients.init) } }
    package var rho: Double { get throws { try message.double(5) } }
    static let supportVectorsFields = [2, 3]
    package enum OneOfSupportVectors: Sendable {
      case sparseSupportVectors(Specification.SparseSupportVectors)
      case denseSupportVectors(Specification.DenseSupportVectors)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(2, "sparseSupportVectors", .sparseSupportVectors(Specification.SparseSupportVectors(Message()))),
          OneOfMember(3, "denseSupportVectors", .denseSupportVectors(Specification.DenseSupportVectors(Message()))),
        ]
      }
    }
    package var supportVectors: OneOfSupportVectors? {
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
  package struct SupportVectorClassifier: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var kernel: Specification.Kernel? { get throws { try message.message(1).map(Specification.Kernel.init) } }
    package var numberOfSupportVectorsPerClass: [Int32] { get throws { try message.int32s(2) } }
    package var sparseSupportVectors: Specification.SparseSupportVectors? { get throws { try message.message(3, of: Self.supportVectorsFields).map(Specification.SparseSupportVectors.init) } }
    package var denseSupportVectors: Specification.DenseSupportVectors? { get throws { try message.message(4, of: Self.supportVectorsFields).map(Specification.DenseSupportVectors.init) } }
    package var coefficients: Views<Specification.Coefficients> { get throws { try message.views(5, Specification.Coefficients.self) } }
    package var rho: [Double] { get throws { try message.doubles(6) } }
    package var rhoBytes: Bytes { get throws { try message.doubleBytes(6) } }
    package var probA: [Double] { get throws { try message.doubles(7) } }
    package var probABytes: Bytes { get throws { try message.doubleBytes(7) } }
    package var probB: [Double] { get throws { try message.doubles(8) } }
    package var probBBytes: Bytes { get throws { try message.doubleBytes(8) } }
    package var stringClassLabels: Specification.StringVector? { get throws { try message.message(100, of: Self.classLabelsFields).map(Specification.StringVector.init) } }
    package var int64ClassLabels: Specification.Int64Vector? { get throws { try message.message(101, of: Self.classLabelsFields).map(Specification.Int64Vector.init) } }
    static let supportVectorsFields = [3, 4]
    package enum OneOfSupportVectors: Sendable {
      case sparseSupportVectors(Specification.SparseSupportVectors)
      case denseSupportVectors(Specification.DenseSupportVectors)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(3, "sparseSupportVectors", .sparseSupportVectors(Specification.SparseSupportVectors(Message()))),
          OneOfMember(4, "denseSupportVectors", .denseSupportVectors(Specification.DenseSupportVectors(Message()))),
        ]
      }
    }
    package var supportVectors: OneOfSupportVectors? {
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
}
