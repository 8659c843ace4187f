/// The class that opens a model, or one function of it, and predicts.
struct PythonModel {
  private let name: String
  private let function: ModelFunction
  private let isDefault: Bool

  init(_ className: String, _ function: ModelFunction, isDefault: Bool) {
    name = className
    self.function = function
    self.isDefault = isDefault
  }

  private var input: String { "\(name)Input" }
  private var output: String { "\(name)Output" }
  private var isStateful: Bool { !function.states.isEmpty }

  func write(to code: inout CodeWriter) {
    code.lines(["", "", "class \(name):"])
    code.indented { code in
      code.docstring([
        "Opens the model and predicts.", "",
        "``options`` are those of ``coreml_runtime.Model``; ``model`` is that model, for all else that it does.", "",
      ])
      opening(&code)
      predicting(&code)
    }
  }

  private func opening(_ code: inout CodeWriter) {
    code.line()
    code.line("def __init__(self, source: Union[str, os.PathLike[str]], **options: Any) -> None:")
    code.indented { code in
      let selection = isDefault ? "" : "function=\(Literals.python(function.name)), "
      code.line("self.model = coreml_runtime.Model(source, \(selection)**options)")
    }
    for (head, body) in [
      ("close(self) -> None", "self.model.close()"), ("__enter__(self) -> \(name)", "return self"),
      ("__exit__(self, *_: Any) -> None", "self.close()"),
    ] {
      code.lines(["", "def \(head):"])
      code.indented { $0.line(body) }
    }
    guard isStateful else { return }
    code.lines(["", "def make_state(self) -> coreml_runtime.State:"])
    code.indented { code in
      code.docstring(["A state at its beginning:"] + function.states.map { "- \($0.sentence)" })
      code.line("return self.model.make_state()")
    }
  }

  private func predicting(_ code: inout CodeWriter) {
    let state = isStateful ? ", state: Optional[coreml_runtime.State] = None" : ""
    let handed = isStateful ? ", state=state" : ""
    code.lines(["", "def predict(self, input: \(input)\(state)) -> \(output):"])
    code.indented { $0.line("return \(output).of(self.model.predict(input.features()\(handed)))") }
    code.lines(["", "async def predict_async(self, input: \(input)\(state)) -> \(output):"])
    code.indented { $0.line("return \(output).of(await self.model.predict_async(input.features()\(handed)))") }
    code.lines(["", "def predict_batch(self, inputs: Sequence[\(input)]) -> List[\(output)]:"])
    code.indented {
      $0.line("rows = self.model.predict_batch([each.features() for each in inputs])")
      $0.line("return [\(output).of(row) for row in rows]")
    }
  }
}
