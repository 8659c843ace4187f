import MIL

/// Every row of every operation, best first, the reference last.
public enum KernelTable {
  static let families: [[Row]] = [
    elementwiseUnaryRows,
    elementwiseBinaryRows,
    pointwiseRows,
    reductionRows,
    sortingRows,
    normalizationRows,
    reshapingRows,
    copyRows,
    slicingRows,
    permutingRows,
    joiningRows,
    makingRows,
    gatherScatterRows,
    blockedRows,
    quantizedRows,
    convolutionRows,
    linearRows,
    poolingRows,
    matmulRows,
    attentionRows,
    recurrentRows,
    resizingRows,
    samplingRows,
    warpProductRows, groupProductRows,
    openCLStoredRows,
    openCLArithmeticRows,
    warpAttentionRows,
    openCLAttentionRows,
    openCLElementwiseRows,
    openCLReductionRows,
    openCLMovingRows,
    openCLGatherRows,
    openCLScatterRows,
    openCLMakingRows,
    openCLSortingRows,
    openCLSamplingRows,
    openCLQuantizedRows,
    openCLEinsumRows,
    openCLResizingRows,
    openCLRecurrentRows,
    neuralNetworkRows,
    treeEnsembleRows,
    doubleRows,
    classicalRows,
    trainingRows,
    compressionRows,
    quantizationRows,
  ]

  private static let byOperation: [String: [Row]] = {
    var table: [String: [Row]] = [:]
    for row in families.joined() {
      for operation in row.operations { table[operation, default: []].append(row) }
    }
    return table
  }()

  /// The rows that a device may use for an operation, best first. The CPU's list ends with the reference.
  public static func rows(for operation: String, on device: DeviceKind) -> [Row] {
    var rows = (byOperation[operation] ?? []).filter { $0.device == device }
    if device == .cpu, let reference = References.all[operation] { rows.append(reference.row) }
    return rows
  }

  /// The rows of an operation as it stands in a program: one with code of its own has that as its only row.
  public static func rows(for operation: Operation, on device: DeviceKind) -> [Row] {
    guard let code = operation.code else { return rows(for: operation.type, on: device) }
    return device == .cpu ? [code.row(for: operation.type)] : []
  }

  /// Whether anything here can compute the operation at all.
  public static func computes(_ operation: Operation) -> Bool { operation.code != nil || computes(operation.type) }

  /// Whether there is a kernel for operations of a type, whoever wrote the model.
  public static func computes(_ operation: String) -> Bool {
    References.all[operation] != nil || byOperation[operation] != nil
  }

  /// Every (operation, row) pair, for the differential driver and the support table.
  public static var pairs: [(operation: String, row: Row)] {
    let operations = Set(byOperation.keys).union(References.all.keys).sorted()
    return operations.flatMap { operation in
      DeviceKind.allCases.flatMap { device in rows(for: operation, on: device).map { (operation, $0) } }
    }
  }
}
