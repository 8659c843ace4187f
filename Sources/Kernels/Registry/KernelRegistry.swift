import MIL

/// The kernels of all operations, best first, the reference last.
package enum KernelRegistry {
  static let families: [[KernelImplementation]] = [
    ElementwiseUnaryKernels.all,
    ElementwiseBinaryKernels.all,
    PointwiseKernels.all,
    ReductionKernels.all,
    SortingKernels.all,
    NormalizationKernels.all,
    ReshapingKernels.all,
    CopyKernels.all,
    SlicingKernels.all,
    PermutingKernels.all,
    ConcatKernels.all,
    CreationKernels.all,
    GatherScatterKernels.all,
    BlockedKernels.all,
    QuantizedKernels.all,
    ConvolutionKernels.all,
    LinearKernels.all,
    PoolingKernels.all,
    MatmulKernels.all,
    AttentionKernels.all,
    RecurrentKernels.all,
    ResizingKernels.all,
    SamplingKernels.all,
    WarpProductKernels.warp,
    WarpProductKernels.group,
    OpenCLStoredKernels.all,
    OpenCLArithmeticKernels.all,
    WarpAttentionKernels.all,
    OpenCLAttentionKernels.all,
    OpenCLElementwiseKernels.all,
    OpenCLReductionKernels.all,
    OpenCLMovingKernels.all,
    OpenCLGatherKernels.all,
    OpenCLScatterKernels.all,
    OpenCLCreationKernels.all,
    OpenCLSortingKernels.all,
    OpenCLSamplingKernels.all,
    OpenCLQuantizedKernels.all,
    OpenCLEinsumKernels.all,
    OpenCLResizingKernels.all,
    OpenCLRecurrentKernels.all,
    NeuralNetworkKernels.all,
    TreeEnsembleKernels.all,
    DoubleKernels.all,
    ClassicalKernels.all,
    TrainingKernels.all,
    CompressionKernels.all,
    QuantizationKernels.all,
  ]

  private static let byOperation: [String: [KernelImplementation]] = {
    var table: [String: [KernelImplementation]] = [:]
    for implementation in families.joined() {
      for operation in implementation.operations { table[operation, default: []].append(implementation) }
    }
    return table
  }()

  /// The kernels that a device may use for an operation, best first. The CPU's list ends with the reference.
  package static func implementations(for operation: String, on device: DeviceKind) -> [KernelImplementation] {
    var implementations = (byOperation[operation] ?? []).filter { $0.device == device }
    if device == .cpu, let reference = References.all[operation] { implementations.append(reference.implementation) }
    return implementations
  }

  /// The kernels of an operation of a program. An operation with code of its own has that code as its only kernel.
  package static func implementations(for operation: Operation, on device: DeviceKind) -> [KernelImplementation] {
    guard let code = operation.code else { return implementations(for: operation.type, on: device) }
    return device == .cpu ? [code.implementation(for: operation.type)] : []
  }

  /// Whether any kernel can compute the operation.
  package static func computes(_ operation: Operation) -> Bool { operation.code != nil || computes(operation.type) }

  /// Whether a kernel exists for operations of this type.
  package static func computes(_ operation: String) -> Bool {
    References.all[operation] != nil || byOperation[operation] != nil
  }

  /// Every (operation, kernel) pair, for the differential driver and the support table.
  package static var pairs: [(operation: String, implementation: KernelImplementation)] {
    let operations = Set(byOperation.keys).union(References.all.keys).sorted()
    return operations.flatMap { operation in
      DeviceKind.allCases.flatMap { device in implementations(for: operation, on: device).map { (operation, $0) } }
    }
  }
}
