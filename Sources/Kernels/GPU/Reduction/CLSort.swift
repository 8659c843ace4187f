import MIL

/// Sorting, MIL's `argsort` and `topk`, along the middle dimension of `[outer][axis][inner]`. The sort is stable. NaN
/// is greater than every other value.
struct CLSort: Sendable {
  /// The kernels that sort a line.
  enum Way: String, Sendable, CaseIterable {
    /// A work-group sorts the line in local memory.
    case group
    /// Work-groups sort runs of the line, which are merged in pairs.
    case merge
  }

  /// The lines to sort, and the outputs.
  struct Lines: Sendable, Hashable {
    var outer: Int
    var axis: Int
    var inner: Int
    /// Elements that are kept of each line.
    var keep: Int
    var scalar: ScalarType
    var isAscending: Bool
    /// Whether the values are written, and the integer type of the positions.
    var hasValues: Bool
    var places: ScalarType?

    fileprivate var type: String? { CLSort.types[scalar] }
    fileprivate var count: Int { get throws(KernelError) { try CLSizes.count([outer, axis, inner], "sort") } }
    fileprivate var kept: Int { get throws(KernelError) { try CLSizes.count([outer, keep, inner], "sort") } }
  }

  private enum Work: Sendable {
    case group(OpenCLLaunch)
    case merge(runs: OpenCLLaunch, merges: [OpenCLLaunch], take: OpenCLLaunch)
  }

  /// Elements that a work-group sorts in local memory. With their positions they take 4 KiB.
  static let longestRun = 512
  fileprivate static let types: [ScalarType: String] = [
    .float32: "float", .int32: "int", .uint32: "uint", .int16: "short", .uint16: "ushort", .int8: "char",
    .uint8: "uchar", .bool: "uchar",
  ]
  private static let placeTypes: [ScalarType: String] = [
    .int32: "int", .uint32: "uint", .int16: "short", .uint16: "ushort", .int8: "char", .uint8: "uchar",
  ]

  private let work: Work
  private let lines: Lines
  private let half: Int

  /// The reason why `way` does not support these lines. Nil if it does.
  static func refusal(of lines: Lines, by way: Way) -> String? {
    guard lines.type != nil else { return "the kernels sort 32-bit numbers and smaller integers" }
    guard lines.axis >= 1, lines.axis <= 1 << 28, (0...lines.axis).contains(lines.keep) else {
      return "\(lines.keep) of lines of \(lines.axis) numbers"
    }
    if let places = lines.places {
      guard placeTypes[places] != nil, let range = places.integerRange, Double(lines.axis - 1) <= range.upperBound
      else {
        return "positions up to \(lines.axis - 1) as \(places.rawValue)"
      }
    }
    switch way {
    case .group: return lines.axis <= longestRun ? nil : "lines of \(lines.axis) numbers do not fit in local memory"
    case .merge: return lines.axis > longestRun ? nil : "lines of \(lines.axis) numbers are one run"
    }
  }

  /// Bytes of scratch memory that `way` needs: two permutations of all lines.
  static func scratchBytes(of lines: Lines, by way: Way) throws -> Int {
    way == .group ? 0 : try CLSizes.count([8, lines.count], "sort")
  }

  /// The number of launches of `way`.
  static func launches(of lines: Lines, by way: Way) -> Int {
    way == .group ? 1 : 2 + merges(of: lines.axis)
  }

  private static func merges(of axis: Int) -> Int {
    var (length, merges) = (longestRun, 0)
    while length < axis { (length, merges) = (2 * length, merges + 1) }
    return merges
  }

  /// Throws if `way` does not support these lines.
  init(_ context: OpenCLContext, _ lines: Lines, by way: Way) throws {
    if let reason = Self.refusal(of: lines, by: way) { throw KernelError(.openCLLaunch, "sort: \(reason)") }
    let (count, kept) = (try lines.count, try lines.kept)
    let (columns, size) = (lines.outer * lines.inner, lines.scalar.bitWidth / 8)
    let index = CLSizes(count, kept)
    let run = way == .merge ? Self.longestRun : [16, 64, 256].first { $0 >= lines.axis } ?? Self.longestRun
    let group = min(CLMatrixProduct.powerOfTwo(context.device.maxWorkGroupSize), 256, run / 2)
    let definitions = [
      "INDEX": index.definition, "GROUP": "\(group)", "RUN": "\(run)", "T": lines.type ?? "",
      "REAL": lines.scalar == .float32 ? "1" : "0", "ASCENDING": lines.isAscending ? "1" : "0",
      "VALUES": lines.hasValues ? "1" : "0", "PLACES": lines.places == nil ? "0" : "1",
      "PLACE": lines.places.flatMap { Self.placeTypes[$0] } ?? "int",
    ]
    let x = OpenCLParameter.memory("x", count: count, size: size)
    let results: [OpenCLParameter] = [
      lines.hasValues ? .memory("values", count: kept, size: size) : .memory("values", count: 0, size: 1),
      lines.places.map { .memory("places", count: kept, size: $0.bitWidth / 8) }
        ?? .memory("places", count: 0, size: 1),
    ]
    let sizes = [lines.axis, max(lines.inner, 1)].map { index.one($0) }
    /// A work-group processes several lines if there are very many.
    func groups(_ name: String, _ count: Int, _ parameters: [OpenCLParameter]) throws -> OpenCLLaunch {
      try context.kernel(name, of: .embedded("sort"), definitions)
        .launch(parameters, global: [min(count, 1 << 20) * group], local: [group])
    }
    self.lines = lines
    half = try CLSizes.count([4, count], "sort")
    switch way {
    case .group:
      work = .group(
        try groups("sort_lines", columns, [x] + results + sizes + [index.one(lines.keep), index.one(columns)]))
    case .merge:
      let runs = (lines.axis + run - 1) / run
      let orders = ["from", "to"].map { OpenCLParameter.memory($0, count: count, size: 4) }
      work = .merge(
        runs: try groups(
          "sort_runs", columns * runs, [x, orders[0]] + sizes + [index.one(runs), index.one(columns * runs)]),
        merges: try (0..<Self.merges(of: lines.axis)).map { number in
          try context.each(
            "merge_runs", of: "sort", definitions, index, count: count,
            [x] + orders + sizes + [index.one(run << number), index.one(count)])
        },
        take: try context.each(
          "take_sorted", of: "sort", definitions, index, count: kept,
          [x, orders[0]] + results + sizes + [index.one(max(lines.keep, 1)), index.one(kept)]))
    }
  }

  /// `values` and `places` are required if the lines have them, `scratch` if the way needs it.
  func enqueue(
    on queue: OpenCLQueue, x: OpenCLMemory, values: OpenCLMemory?, places: OpenCLMemory?, scratch: OpenCLMemory?
  ) throws {
    guard (values != nil) == lines.hasValues, (places != nil) == (lines.places != nil) else {
      throw KernelError(.openCLLaunch, "sort: values or places are missing, or given and not expected")
    }
    switch work {
    case .group(let launch): try launch.enqueue(on: queue, x, values ?? x, places ?? x)
    case .merge(let runs, let merges, let take):
      guard let scratch else { throw KernelError(.openCLLaunch, "sort: there is no scratch memory") }
      var from = try scratch.range(byteOffset: 0, byteCount: half)
      var to = try scratch.range(byteOffset: half, byteCount: half)
      try runs.enqueue(on: queue, x, from)
      for index in merges.indices {
        try merges[index].enqueue(on: queue, x, from, to)
        swap(&from, &to)
      }
      try take.enqueue(on: queue, x, from, values ?? x, places ?? x)
    }
  }
}
