import MIL

/// Attention without storing the score matrix: MIL's `scaled_dot_product_attention`, and attention that a pass has
/// found as products around a softmax.
package struct CLAttention: Sendable {
  private let launch: OpenCLLaunch
  private let masks: Int
  /// The second launch for a few queries, which merges the partial results, and the element count of those.
  private let whole: (launch: OpenCLLaunch, count: Int)?

  /// Limit for the number of masks.
  static let mostMasks = 2
  /// Work-items of a work-group.
  private static let group = 64

  /// Throws for a shape that the kernel does not support. The flags of `f16` are those of query, key, value and
  /// additive masks.
  package init(_ context: OpenCLContext, _ form: AttentionShape, f16: F16Operands = .none) throws {
    let reason = Self.refusal(of: form, on: context.device)
    guard reason == nil, let tile = Tile(form, on: context.device) else {
      throw KernelError(.openCLLaunch, "attention: \(reason ?? "there is no tile for it")")
    }
    masks = form.masks.count
    let arguments = try Arguments(form, f16)
    let source = OpenCLSource.generated(
      try OpenCLSource.body("attention_form") + OpenCLSource.body("attention"), for: "attention")
    let kernel = try context.kernel(
      "attention", of: source, tile.definitions.merging(arguments.definitions) { $1 })
    let tiles = (form.length + tile.queries - 1) / tile.queries
    launch = try kernel.launch(
      arguments.parameters, global: [tiles * Self.group, min(form.items, 65_535)], local: [Self.group, 1])
    whole = nil
  }

  /// Attention of a few queries, whose keys are divided among work-groups (`attention_few.cl`).
  init(few context: OpenCLContext, _ form: AttentionShape, f16: F16Operands) throws {
    if let reason = Self.fewRefusal(of: form, on: context.device) {
      throw KernelError(.openCLLaunch, "attention: \(reason)")
    }
    masks = form.masks.count
    let arguments = try Arguments(form, f16)
    var lanes = 1
    while lanes < min(form.width, Self.fewGroup) { lanes *= 2 }
    let definitions = arguments.definitions.merging([
      "M": "\(form.length)", "DEPTH": "\(form.depth)", "WIDTH": "\(form.width)", "GROUP": "\(Self.fewGroup)",
      "LANES": "\(lanes)",
    ]) { $1 }
    let source = OpenCLSource.generated(
      try OpenCLSource.body("attention_form") + OpenCLSource.body("attention_few"), for: "attention")
    let parts = Self.fewParts(form)
    let count = Self.fewBytes(form) / 4
    // The second launch writes the result. The first writes partial results instead.
    var parameters = arguments.parameters
    let result = parameters.remove(at: 5)
    parameters.insert(.floats("left", count), at: 5)
    launch = try context.kernel("attention_part", of: source, definitions).launch(
      parameters, global: [parts * Self.fewGroup, min(form.items, 65_535)], local: [Self.fewGroup, 1])
    let columns = min(64, context.device.maxWorkGroupSize)
    let second = try context.kernel("attention_whole", of: source, definitions).launch(
      [.floats("left", count), result, arguments.sizes],
      global: [form.width, min(form.items * form.length, 65_535)], local: [columns, 1])
    whole = (second, count)
  }

  /// Attention by the kernel `attention` of this source, compiled with `own` in addition to the definitions of the
  /// shape.
  init(
    _ context: OpenCLContext, _ form: AttentionShape, _ f16: F16Operands, _ source: OpenCLSource,
    _ own: [String: String],
    global: [Int], local: [Int]
  ) throws {
    masks = form.masks.count
    let arguments = try Arguments(form, f16)
    let kernel = try context.kernel("attention", of: source, own.merging(arguments.definitions) { $1 })
    launch = try kernel.launch(arguments.parameters, global: global, local: local)
    whole = nil
  }

  /// The reason why the kernel does not support a shape. Nil if it does.
  static func refusal(of form: AttentionShape, on device: OpenCLDevice) -> String? {
    guard form.parts.count == 1 else { return "keys and values in \(form.parts.count) parts" }
    guard !form.parts[0].roundsKey, !form.parts[0].roundsValue else { return "keys or values that are rounded to fp16" }
    guard form.masks.count <= mostMasks else { return "more than \(mostMasks) masks" }
    guard form.items > 0, form.length > 0, form.depth > 0, form.width > 0, form.sources > 0 else {
      return "an empty tensor"
    }
    guard form.length <= 1 << 30, form.items <= 1 << 30 else { return "more queries than tiles are counted to" }
    let views = [form.query, form.parts[0].key, form.parts[0].value, form.output] + form.masks.map(\.view)
    guard views.allSatisfy({ View.axes($0.batch).count <= 4 }) else { return "a batch of more than four axes" }
    return Tile(form, on: device) == nil ? "queries of \(form.depth) and values of \(form.width) numbers" : nil
  }

  /// Takes as many masks as the shape has. `y` must not overlap any input. `scratch` is for the partial results of a
  /// few queries.
  package func enqueue(
    on queue: OpenCLQueue, query: OpenCLMemory, key: OpenCLMemory, value: OpenCLMemory, first: OpenCLMemory? = nil,
    second: OpenCLMemory? = nil, y: OpenCLMemory, scratch: OpenCLMemory? = nil
  ) throws {
    guard (first != nil) == (masks > 0), (second != nil) == (masks > 1) else {
      throw KernelError(.openCLLaunch, "attention: a mask is missing, or given and not expected")
    }
    // Absent operands get the whole buffer of `query`. Its offset 0 passes the alignment check for fp32; `query` itself
    // may not.
    let none = query.buffer.memory
    guard let whole else {
      return try launch.enqueue(on: queue, query, key, value, first ?? none, second ?? none, y)
    }
    guard let scratch else { throw KernelError(.openCLLaunch, "attention: there is no scratch memory") }
    let left = try scratch.range(byteOffset: 0, byteCount: whole.count * 4)
    try launch.enqueue(on: queue, query, key, value, first ?? none, second ?? none, left)
    try whole.launch.enqueue(on: queue, left, y)
  }
}

extension CLAttention {
  /// How a work-group is tiled: its queries, the queries of each work-item, and the keys of a block.
  struct Tile {
    let queries: Int
    let each: Int
    let sources: Int
    let depth: Int
    let width: Int

    /// The largest tile that fits in local memory and is not mostly empty. Nil if none fits.
    init?(_ form: AttentionShape, on device: OpenCLDevice) {
      (depth, width) = (form.depth, form.width)
      guard device.maxWorkGroupSize >= CLAttention.group, depth <= 512, width <= 512 else { return nil }
      for (queries, each) in [(32, 2), (16, 1), (4, 1), (1, 1)] where queries == 1 || form.length * 2 > queries {
        for sources in [32, 16, 8] {
          let floats = queries * (depth + 1 + sources + 1) + sources * (max(depth, width) + 1)
          // Some devices reserve a little local memory for themselves.
          guard floats * 4 <= device.localMemoryBytes / 8 * 7 else { continue }
          (self.queries, self.each, self.sources) = (queries, each, sources)
          return
        }
      }
      return nil
    }

    var definitions: [String: String] {
      [
        "QUERIES": "\(queries)", "EACH": "\(each)", "SOURCES": "\(sources)", "DEPTH": "\(depth)", "WIDTH": "\(width)",
      ]
    }

    /// The fraction of the device's arithmetic that the kernel reaches. It reads some 0.6 elements of local memory for
    /// each product if a work-item has two queries, and more than one if it has one. With one query for each
    /// work-group, memory dominates.
    var efficiency: Double { queries == 1 ? 0.02 : each == 2 ? 0.2 : 0.1 }
  }

  /// A view with its batch as four axes.
  fileprivate struct View {
    let numbers: [Int]

    static let nothing = View(offset: 0, row: 0, column: 0, [])

    init(_ view: StridedMatrices) {
      self.init(offset: view.offset, row: view.rowStep, column: view.columnStep, View.axes(view.batch))
    }

    private init(offset: Int, row: Int, column: Int, _ axes: [StridedMatrices.Axis]) {
      let pad = [Int](repeating: 1, count: max(4 - axes.count, 0))
      numbers = [offset, row, column] + pad + axes.map(\.size) + pad.map { _ in 0 } + axes.map(\.step)
    }

    /// The axes of a batch. Adjacent axes are merged if they are contiguous.
    static func axes(_ batch: [StridedMatrices.Axis]) -> [StridedMatrices.Axis] {
      batch.reduce(into: []) { axes, next in
        if next.size == 1 { return }
        if let last = axes.last, last.step == next.step &* next.size {
          axes[axes.count - 1] = StridedMatrices.Axis(last.size &* next.size, next.step)
        } else {
          axes.append(next)
        }
      }
    }
  }
}

extension CLAttention {
  /// The definitions and parameters of its kernels.
  private struct Arguments {
    let parameters: [OpenCLParameter]
    /// The struct of sizes among the parameters.
    let sizes: OpenCLParameter
    let definitions: [String: String]

    init(_ form: AttentionShape, _ f16: F16Operands) throws {
      let part = form.parts[0]
      func count(_ view: StridedMatrices, _ rows: Int, _ columns: Int) throws -> Int {
        guard let end = view.end(rows: rows, columns: columns), end <= 1 << 48 else {
          throw KernelError(.openCLLaunch, "attention: a view of \(rows) by \(columns) is too large")
        }
        return end
      }
      var views = [form.query, part.key, part.value].map { View($0) }
      for index in 0..<CLAttention.mostMasks {
        views.append(index < form.masks.count ? View(form.masks[index].view) : .nothing)
      }
      views.append(View(form.output))
      var memory: [OpenCLParameter] = [
        f16.numbers("query", try count(form.query, form.length, form.depth), .first),
        f16.numbers("key", try count(part.key, part.rows, form.depth), .second),
        f16.numbers("value", try count(part.value, part.rows, form.width), .third),
      ]
      var definitions = f16.definitions
      definitions["HALF_KEY"] = f16.flag(.second)
      definitions["HALF_VALUE"] = f16.flag(.third)
      definitions["MASKS"] = "\(form.masks.count)"
      for (index, letter) in ["A", "B"].enumerated() {
        let mask = index < form.masks.count ? form.masks[index] : nil
        let isNumber = mask.map { $0.kind == .add } ?? true
        let isF16 = isNumber && f16.contains(index == 0 ? .fourth : .fifth)
        definitions["HALF_MASK_\(letter)"] = isF16 ? "1" : "0"
        definitions["MASK_\(letter)"] = isNumber ? "float" : "uchar"
        definitions["KIND_\(letter)"] = mask?.kind == .keep ? "1" : mask?.kind == .drop ? "2" : "0"
        memory.append(
          .memory(
            "mask \(index)", count: try mask.map { try count($0.view, form.length, form.sources) } ?? 0,
            size: isF16 ? 2 : isNumber ? 4 : 1))
      }
      memory.append(f16.numbers("y", try count(form.output, form.length, form.width), .result))
      let numbers = [form.items, form.length, form.sources] + views.flatMap(\.numbers)
      sizes = .longs(numbers.map { Int64($0) })
      let fills = (0..<CLAttention.mostMasks).map {
        OpenCLParameter.float($0 < form.masks.count ? form.masks[$0].fill : 0)
      }
      parameters = memory + [sizes, .float(form.scale)] + fills
      self.definitions = definitions
    }
  }
}
