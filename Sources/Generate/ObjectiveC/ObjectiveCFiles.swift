/// The header and the implementation of a model's classes, with the members of Xcode's classes. They are for Apple's
/// systems.
package struct ObjectiveCFiles {
  private let model: ModelClass

  package init(_ model: ModelClass) { self.model = model }

  package func files() -> [GeneratedFile] {
    [
      GeneratedFile(name: "\(model.name).h", text: header()),
      GeneratedFile(name: "\(model.name).m", text: implementation()),
    ]
  }

  private var functions: [ObjectiveCFunction] {
    FunctionClasses.of(model, named: ObjectiveCNames.typeName(model.name)).map {
      ObjectiveCFunction(model: model, function: $0.function, name: $0.name, isDefault: $0.isDefault)
    }
  }

  private func title(_ name: String, _ code: inout CodeWriter) {
    code.lines([
      "//", "// \(name)", "//", "// \(GeneratedFile.mark)", "//", "",
    ])
  }

  func header() -> String {
    var code = CodeWriter()
    title("\(model.name).h", &code)
    code.lines([
      "#import <Foundation/Foundation.h>", "#import <CoreML/CoreML.h>", "#include <stdint.h>", "",
      "NS_ASSUME_NONNULL_BEGIN",
    ])
    for function in functions {
      for provider in function.providers { provider.declare(&code) }
      ObjectiveCModel(function).declare(&code)
    }
    code.lines(["", "NS_ASSUME_NONNULL_END"])
    return code.text
  }

  func implementation() -> String {
    var code = CodeWriter()
    title("\(model.name).m", &code)
    code.lines([
      "#if !__has_feature(objc_arc)",
      "#error This file must be compiled with automatic reference counting enabled (-fobjc-arc)",
      "#endif", "", "#import \"\(model.name).h\"",
    ])
    for function in functions {
      for provider in function.providers { provider.define(&code) }
      ObjectiveCModel(function).define(&code)
    }
    return code.text
  }
}

/// A function of a model and its classes.
struct ObjectiveCFunction {
  let model: ModelClass
  let function: ModelFunction
  let name: String
  let isDefault: Bool

  /// Class names that a parameter with the same name would hide.
  var classes: Set<String> { ["", "Input", "Output", "TrainingInput"].reduce(into: []) { $0.insert(name + $1) } }
  var inputs: ObjectiveCFeatures { ObjectiveCFeatures(function.inputs, beside: classes) }

  var providers: [ObjectiveCProvider] {
    var providers = [
      ObjectiveCProvider(self, "\(name)Input", "Model Prediction Input Type", function.inputs, takesPictures: true),
      ObjectiveCProvider(self, "\(name)Output", "Model Prediction Output Type", function.outputs, takesPictures: false),
    ]
    if isDefault, !model.trainingInputs.isEmpty {
      providers.append(
        ObjectiveCProvider(
          self, "\(name)TrainingInput", "Model Update Input Type", model.trainingInputs, takesPictures: true))
    }
    return providers
  }

  /// The availability attribute of the classes.
  var availability: String {
    let systems = Availability.of(model.specificationVersion).systems.map { "\($0.name.lowercased())(\($0.version))" }
    return "API_AVAILABLE(\(systems.joined(separator: ", "))) __attribute__((visibility(\"hidden\")))"
  }
}
