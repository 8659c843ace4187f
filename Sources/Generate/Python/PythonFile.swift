/// The Python module of a model: dataclasses for inputs and outputs, and a class that opens the model with
/// `coreml_runtime` and predicts.
package struct PythonFile {
  private let model: ModelClass

  package init(_ model: ModelClass) { self.model = model }

  package func file() -> GeneratedFile { GeneratedFile(name: "\(model.name).py", text: source()) }

  func source() -> String {
    var code = CodeWriter()
    code.line("# \(GeneratedFile.mark)")
    code.docstring([model.summary.isEmpty ? "\(model.name), a Core ML model." : model.summary] + facts)
    code.lines([
      "from __future__ import annotations", "", "import dataclasses", "import os",
      "from typing import Any, Dict, List, Optional, Sequence, Union", "", "import numpy", "", "import coreml_runtime",
    ])
    for entry in FunctionClasses.of(model, named: PythonNames.typeName(model.name)) {
      PythonInput(entry.name, entry.function).write(to: &code)
      PythonOutput(entry.name, entry.function).write(to: &code)
      PythonModel(entry.name, entry.function, isDefault: entry.isDefault).write(to: &code)
    }
    return code.text
  }

  private var facts: [String] {
    let facts = [("Author", model.author), ("License", model.license), ("Version", model.version)]
    let told = facts.filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1)" }
    return told.isEmpty ? [] : [""] + told
  }
}

extension CodeWriter {
  /// A docstring with one line per text line.
  mutating func docstring(_ texts: [String]) {
    let lines = texts.flatMap { text in text.isEmpty ? [""] : CommentText.lines(text) }.map(Self.escaped)
    guard lines.count > 1, let first = lines.first else { return line("\"\"\"\(lines.first ?? "")\"\"\"") }
    line("\"\"\"\(first)")
    self.lines(Array(lines.dropFirst()))
    line("\"\"\"")
  }

  private static func escaped(_ line: String) -> String { String(Literals.python(line).dropFirst().dropLast()) }

  /// Attribute comments in the format of documentation tools.
  mutating func attributeComment(_ text: String) { for text in CommentText.lines(text) { line("#: \(text)") } }
}
