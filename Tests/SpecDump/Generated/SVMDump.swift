// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_LinearKernel(_ view: Specification.LinearKernel) throws {
  }
  func Specification_RBFKernel(_ view: Specification.RBFKernel) throws {
    scalar("gamma", try view.gamma)
  }
  func Specification_PolyKernel(_ view: Specification.PolyKernel) throws {
    scalar("degree", try view.degree)
    scalar("c", try view.c)
    scalar("gamma", try view.gamma)
  }
  func Specification_SigmoidKernel(_ view: Specification.SigmoidKernel) throws {
    scalar("gamma", try view.gamma)
    scalar("c", try view.c)
  }
  func Specification_Kernel(_ view: Specification.Kernel) throws {
    try one("linearKernel", try view.linearKernel) { try Specification_LinearKernel($0) }
    try one("rbfKernel", try view.rbfKernel) { try Specification_RBFKernel($0) }
    try one("polyKernel", try view.polyKernel) { try Specification_PolyKernel($0) }
    try one("sigmoidKernel", try view.sigmoidKernel) { try Specification_SigmoidKernel($0) }
    switch try view.kernel {
    case .linearKernel?: oneOf("kernel", "linearKernel")
    case .rbfKernel?: oneOf("kernel", "rbfKernel")
    case .polyKernel?: oneOf("kernel", "polyKernel")
    case .sigmoidKernel?: oneOf("kernel", "sigmoidKernel")
    case nil: break
    }
  }
  func Specification_SparseNode(_ view: Specification.SparseNode) throws {
    scalar("index", try view.index)
    scalar("value", try view.value)
  }
  func Specification_SparseVector(_ view: Specification.SparseVector) throws {
    try each("nodes", try view.nodes) { try Specification_SparseNode($0) }
  }
  func Specification_SparseSupportVectors(_ view: Specification.SparseSupportVectors) throws {
    try each("vectors", try view.vectors) { try Specification_SparseVector($0) }
  }
  func Specification_DenseVector(_ view: Specification.DenseVector) throws {
    list("values", try view.values, try view.valuesBytes)
  }
  func Specification_DenseSupportVectors(_ view: Specification.DenseSupportVectors) throws {
    try each("vectors", try view.vectors) { try Specification_DenseVector($0) }
  }
  func Specification_Coefficients(_ view: Specification.Coefficients) throws {
    list("alpha", try view.alpha, try view.alphaBytes)
  }
  func Specification_SupportVectorRegressor(_ view: Specification.SupportVectorRegressor) throws {
    try one("kernel", try view.kernel) { try Specification_Kernel($0) }
    try one("sparseSupportVectors", try view.sparseSupportVectors) { try Specification_SparseSupportVectors($0) }
    try one("denseSupportVectors", try view.denseSupportVectors) { try Specification_DenseSupportVectors($0) }
    try one("coefficients", try view.coefficients) { try Specification_Coefficients($0) }
    scalar("rho", try view.rho)
    switch try view.supportVectors {
    case .sparseSupportVectors?: oneOf("supportVectors", "sparseSupportVectors")
    case .denseSupportVectors?: oneOf("supportVectors", "denseSupportVectors")
    case nil: break
    }
  }
  func Specification_SupportVectorClassifier(_ view: Specification.SupportVectorClassifier) throws {
    try one("kernel", try view.kernel) { try Specification_Kernel($0) }
    list("numberOfSupportVectorsPerClass", try view.numberOfSupportVectorsPerClass)
    try one("sparseSupportVectors", try view.sparseSupportVectors) { try Specification_SparseSupportVectors($0) }
    try one("denseSupportVectors", try view.denseSupportVectors) { try Specification_DenseSupportVectors($0) }
    try each("coefficients", try view.coefficients) { try Specification_Coefficients($0) }
    list("rho", try view.rho, try view.rhoBytes)
    list("probA", try view.probA, try view.probABytes)
    list("probB", try view.probB, try view.probBBytes)
    try one("stringClassLabels", try view.stringClassLabels) { try Specification_StringVector($0) }
    try one("int64ClassLabels", try view.int64ClassLabels) { try Specification_Int64Vector($0) }
    switch try view.supportVectors {
    case .sparseSupportVectors?: oneOf("supportVectors", "sparseSupportVectors")
    case .denseSupportVectors?: oneOf("supportVectors", "denseSupportVectors")
    case nil: break
    }
    switch try view.classLabels {
    case .stringClassLabels?: oneOf("ClassLabels", "stringClassLabels")
    case .int64ClassLabels?: oneOf("ClassLabels", "int64ClassLabels")
    case nil: break
    }
  }
}
