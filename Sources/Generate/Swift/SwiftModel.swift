/// The class that loads a model, or one function of it, and predicts.
struct SwiftModel {
  let context: SwiftContext
  let inputs: [NamedFeature]
  /// Nil for the default function.
  private let functionName: String?

  init(_ context: SwiftContext, isDefault: Bool) {
    self.context = context
    var scope = SwiftNames.scope(context.classes)
    inputs = scope.take(context.function.inputs)
    functionName = isDefault ? nil : context.function.name
  }

  var name: String { context.classes.model }
  var access: String { context.access }

  func write(to code: inout CodeWriter) {
    let model = context.model
    code.line()
    code.document("Class for model loading and prediction")
    let facts = [("Author", model.author), ("License", model.license), ("Version", model.version)]
    for text in [model.summary] + facts.filter({ !$0.1.isEmpty }).map({ "\($0.0): \($0.1)" }) where !text.isEmpty {
      code.line("///")
      code.document(text)
    }
    code.line(context.availability)
    let sendable = context.options.languageMode >= 6 ? " : @unchecked Sendable" : ""
    code.block("\(access)class \(name)\(sendable)") { code in
      code.line("\(access)let model: MLModel")
      place(&code)
      initializers(&code)
      loading(&code)
      states(&code)
      predictions(&code)
    }
  }

  private func place(_ code: inout CodeWriter) {
    code.line()
    code.document("URL of the compiled model in the bundle that it was built into.")
    code.block("\(access)class var urlOfModelInThisBundle : URL") { code in
      let bundle = context.options.container == .moduleBundle ? "Bundle.module" : "Bundle(for: self)"
      code.line(
        "\(bundle).url(forResource: \(Literals.swift(context.model.resource)), withExtension: \"mlmodelc\")!")
    }
    guard let functionName else { return }
    code.line()
    code.document("The configuration, with the function that this class is of.")
    code.block("private class func selecting(_ configuration: MLModelConfiguration) -> MLModelConfiguration") { code in
      code.line("let selecting = configuration.copy() \(SwiftNames.asForced) MLModelConfiguration")
      code.line("selecting.functionName = \(Literals.swift(functionName))")
      code.line("return selecting")
    }
  }

  /// The configuration expression for `MLModel`.
  private var configuration: String { functionName == nil ? "configuration" : "\(name).selecting(configuration)" }

  private func initializers(_ code: inout CodeWriter) {
    code.line()
    code.document("A model that is loaded already, or one that stands for it in tests.")
    code.block("\(access)init(model: MLModel)") { $0.line("self.model = model") }
    code.line()
    code.document("The model that was built into the bundle.")
    code.line(
      "@available(*, deprecated, message: \"Use init(configuration:) instead and handle errors appropriately.\")")
    code.block("\(access)convenience init()") { code in
      code.line("\(SwiftNames.tryForced) self.init(contentsOf: type(of: self).urlOfModelInThisBundle)")
    }
    code.line()
    code.document("The model that was built into the bundle, with a configuration.")
    code.block(
      "\(access)convenience init(configuration: MLModelConfiguration = MLModelConfiguration()) throws"
    ) { code in
      code.line("try self.init(contentsOf: type(of: self).urlOfModelInThisBundle, configuration: configuration)")
    }
    code.line()
    code.document("A compiled model elsewhere.")
    code.block("\(access)convenience init(contentsOf modelURL: URL) throws") { code in
      code.line(
        functionName == nil
          ? "try self.init(model: MLModel(contentsOf: modelURL))"
          : "try self.init(contentsOf: modelURL, configuration: MLModelConfiguration())")
    }
    code.line()
    code.document("A compiled model elsewhere, with a configuration.")
    code.block(
      "\(access)convenience init(contentsOf modelURL: URL, configuration: MLModelConfiguration) throws"
    ) { code in
      code.line("try self.init(model: MLModel(contentsOf: modelURL, configuration: \(configuration)))")
    }
  }

  // MARK: asynchronous loading

  private func loading(_ code: inout CodeWriter) {
    let settings = "configuration: MLModelConfiguration = MLModelConfiguration()"
    let handler = "completionHandler handler: @escaping (Swift.Result<\(name), \(context.any)Error>) -> Void"
    code.line()
    code.document("Loads the model that was built into the bundle in the background.")
    code.available(.loadingInBackground, in: context.version)
    code.block("\(access)class func load(\(settings), \(handler))") { code in
      code.line(
        "self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration, completionHandler: handler)")
    }
    code.line()
    code.document("Loads the model that was built into the bundle without blocking.")
    code.available(.shapedArrays, in: context.version)
    code.block("\(access)class func load(\(settings)) async throws -> \(name)") { code in
      code.line("try await self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration)")
    }
    code.line()
    code.document("Loads a compiled model in the background.")
    code.available(.loadingInBackground, in: context.version)
    code.block("\(access)class func load(contentsOf modelURL: URL, \(settings), \(handler))") { code in
      code.block("MLModel.load(contentsOf: modelURL, configuration: \(configuration))", taking: "result in") { code in
        code.line("handler(result.map { \(name)(model: $0) })")
      }
    }
    code.line()
    code.document("Loads a compiled model without blocking.")
    code.available(.shapedArrays, in: context.version)
    code.block("\(access)class func load(contentsOf modelURL: URL, \(settings)) async throws -> \(name)") { code in
      code.line("let model = try await MLModel.load(contentsOf: modelURL, configuration: \(configuration))")
      code.line("return \(name)(model: model)")
    }
  }
}

extension CodeWriter {
  /// `head { parameters`, lines, `}`.
  mutating func block(_ head: String, taking parameters: String, _ body: (inout CodeWriter) -> Void) {
    line("\(head) { \(parameters)")
    indented(body)
    line("}")
  }
}
