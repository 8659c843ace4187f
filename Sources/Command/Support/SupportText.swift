import CoreMLRuntime

/// What the runtime supports, as tables: for a terminal, and as the page docs/support.md.
struct SupportText {
  private struct Section {
    let title: String
    let about: String
    let columns: [String]
    let rows: [[String]]
    var numbers: Set<Int> = []
  }

  private let support: Support

  init(_ support: Support) { self.support = support }

  private var sections: [Section] {
    [
      features("Containers", "Specification versions \(versions).", support.containers),
      features("Model types", "The members of `Type` in Model.proto.", support.modelTypes),
      features("Feature types", "The members of `Type` in FeatureTypes.proto.", support.featureTypes),
      features("Image preprocessing", "Of neural networks.", support.preprocessors),
      features("Neural network layers", "The members of `layer` in NeuralNetwork.proto.", support.layers),
      features(
        "Activations", "The members of `NonlinearityType` in NeuralNetwork.proto: of the layer `activation`.",
        support.activations),
      features(
        "Layers of compiled networks",
        "The types of layers in `model.espresso.net`, as far as they are known. Any other type, field or mode is refused by its name.",
        support.compiledLayers),
      operations(
        "MIL operations",
        "Opsets \(support.opsets.joined(separator: ", ")). An operation has the meaning of the opset that its program is written for. The reference is "
          + "its plain definition as code; kernels are faster ways to compute it, and take over where their conditions hold.",
        support.operations),
      operations(
        "Operations of this runtime",
        "What MIL cannot say: `nn.` for layers of networks, `ml.` for classical models and feature transformers, `fused.`, `constexpr_rows` and `constexpr_part` for what passes make of "
          + "several operations, `train.` for what training adds. They stand in compiled models and in plans, and in no model file.",
        support.ownOperations),
      Section(
        title: "Operations without a gradient",
        about:
          "Training does not go through these ([guide/train.md](guide/train.md)). Operations without numeric outputs have no gradient.",
        columns: ["operation"],
        rows: (support.operations + support.ownOperations).filter { $0.runs && !$0.gradient }.map { [$0.name] }),
      Section(
        title: "Operations without an OpenCL kernel",
        about:
          "In a plan that has an OpenCL device, the CPU computes these. The device computes the others where its kernels take their types and shapes; "
          + "`runtime plan MODEL --explain` says what each of them refused.",
        columns: ["operation", "why"],
        rows: (support.operations + support.ownOperations).compactMap { operation in
          operation.reasonForHost.map { [operation.name, $0] }
        }),
      Section(
        title: "Data types",
        about:
          "Of values in ML programs. The last two columns: the type that the CPU adds in, and the kernel that does.",
        columns: ["type", "runs", "in weight files", "calculated in", "by"],
        rows: support.dataTypes.map { [$0.name, word($0.runs), $0.storedAs, $0.calculatedIn, $0.kernel] }),
    ]
  }

  private var versions: String {
    "\(support.specificationVersions.min() ?? 0) to \(support.specificationVersions.max() ?? 0)"
  }

  private func word(_ runs: Bool) -> String { runs ? "yes" : "no" }

  private func features(_ title: String, _ about: String, _ features: [Support.Feature]) -> Section {
    Section(
      title: title, about: about, columns: ["name", "runs", "remark"],
      rows: features.map { [$0.name, word($0.runs), $0.remark] })
  }

  private func operations(_ title: String, _ about: String, _ operations: [Support.Operation]) -> Section {
    Section(
      title: title, about: about,
      columns: ["operation", "opsets", "runs", "reference", "CPU kernels", "OpenCL kernels", "gradient", "remark"],
      rows: operations.map {
        [
          $0.name, $0.opsets.joined(separator: ", "), word($0.runs), word($0.reference), "\($0.cpuKernels)",
          "\($0.openCLKernels)", word($0.gradient), $0.remark,
        ]
      }, numbers: [4, 5])
  }

  // MARK: for a terminal

  var plain: String {
    sections.filter { !$0.rows.isEmpty }.map { section in
      section.title + "\n\n"
        + Console.table([section.columns.map { $0.uppercased() }] + section.rows, rightAligned: section.numbers)
    }.joined(separator: "\n\n")
  }

  // MARK: as a page

  var markdown: String {
    """
    # What runs

    Written by `tools/support` from the runtime's own tables, never by hand; `runtime support NAME` answers for one name.

    \(summary)
    """ + sections.map { "\n\n" + markdown($0) }.joined()
  }

  private var summary: String {
    func count(_ features: [Support.Feature]) -> String { "\(features.count { $0.runs }) of \(features.count)" }
    let kernels = support.operations + support.ownOperations
    return """
      | | runs |
      | --- | --- |
      | model types | \(count(support.modelTypes)) |
      | neural network layers | \(count(support.layers)) |
      | activations | \(count(support.activations)) |
      | MIL operations | \(support.operations.count { $0.runs }) of \(support.operations.count) |
      | data types | \(support.dataTypes.count { $0.runs }) of \(support.dataTypes.count) |
      | operations with kernels beside the reference | CPU \(kernels.count { $0.cpuKernels > 0 }), OpenCL \
      \(kernels.count { $0.openCLKernels > 0 }) |
      """
  }

  private func markdown(_ section: Section) -> String {
    func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
    let rule = section.columns.indices.map { section.numbers.contains($0) ? "---:" : "---" }
    // Columns without text are left out.
    let kept = section.columns.indices.filter { column in section.rows.contains { !$0[column].isEmpty } }
    func row(_ cells: [String]) -> String { line(kept.map { cells[$0] }) }
    let rows = section.rows.map { row(["`\($0[0])`"] + $0.dropFirst()) }
    return "## \(section.title)\n\n\(section.about)\n\n"
      + ([row(section.columns), row(rule)] + rows).joined(separator: "\n")
  }
}
