/// The Swift file of a model: classes for inputs and outputs, and a class that loads the model and predicts. They have
/// the members of Xcode's classes.
package struct SwiftFile {
  private let model: ModelClass
  private let options: SwiftOptions

  package init(_ model: ModelClass, _ options: SwiftOptions = SwiftOptions()) {
    self.model = model
    self.options = options
  }

  /// The name of the file.
  package var name: String { "\(model.name).swift" }

  package func file() -> GeneratedFile { GeneratedFile(name: name, text: source()) }

  package func source() -> String {
    var code = CodeWriter()
    code.lines([
      "// swift-format-ignore-file", "// swiftlint:disable all", "//", "// \(name)", "//",
      "// \(GeneratedFile.mark)", "//", "", "import CoreML",
    ])
    for entry in FunctionClasses.of(model, named: SwiftNames.typeName(model.name)) {
      let context = SwiftContext(
        model: model, function: entry.function, classes: SwiftClassNames(model: entry.name), options: options)
      SwiftInput(context).write(to: &code)
      SwiftOutput(context).write(to: &code)
      if entry.isDefault, !model.trainingInputs.isEmpty { SwiftInput(training: context).write(to: &code) }
      SwiftLabels(context)?.write(to: &code)
      SwiftModel(context, isDefault: entry.isDefault).write(to: &code)
    }
    return code.text
  }
}

/// The settings that all classes of a function share.
struct SwiftContext {
  let model: ModelClass
  let function: ModelFunction
  let classes: SwiftClassNames
  let options: SwiftOptions

  var version: Int { model.specificationVersion }
  /// The access modifier of members for other modules.
  var access: String { options.access == .public ? "public " : "" }
  /// The prefix of existential types.
  var any: String { options.languageMode >= 6 ? "any " : "" }
  var availability: String { SwiftAvailability.attribute(version) }
}
