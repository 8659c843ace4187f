/// A request for one inference, after a protocol reader has checked its form.
package struct InferenceRequest: Sendable {
  package var model: String
  /// Nil: the version that the model's policy prefers.
  package var version: String?
  /// Returned with the answer if the client gave one.
  package var id: String?
  package var inputs: [ServingTensor]
  /// Empty: all outputs.
  package var outputs: [RequestedOutput]
  /// When the client stops waiting. The request never starts after it.
  package var deadline: ContinuousClock.Instant?
  /// 1 is the most urgent; 0 is the model's default.
  package var priority: Int
  package var sequence: SequenceStep?
  package var parameters: [String: ParameterValue]

  package init(
    model: String, version: String? = nil, id: String? = nil, inputs: [ServingTensor], outputs: [RequestedOutput] = [],
    deadline: ContinuousClock.Instant? = nil, priority: Int = 0, sequence: SequenceStep? = nil,
    parameters: [String: ParameterValue] = [:]
  ) {
    (self.model, self.version, self.id, self.inputs, self.outputs) = (model, version, id, inputs, outputs)
    (self.deadline, self.priority, self.sequence, self.parameters) = (deadline, priority, sequence, parameters)
  }
}

/// An output that a client asks for.
package struct RequestedOutput: Sendable {
  package var name: String
  /// Above 0: the most probable classes as `value:index:label` byte strings instead of the tensor.
  package var classification: Int
  package var parameters: [String: ParameterValue]

  package init(name: String, classification: Int = 0, parameters: [String: ParameterValue] = [:]) {
    (self.name, self.classification, self.parameters) = (name, classification, parameters)
  }
}

/// The step of a sequence: requests that share one state of a stateful model.
package struct SequenceStep: Sendable {
  /// Unique for each client identity.
  package var id: String
  package var isStart: Bool
  package var isEnd: Bool

  package init(id: String, isStart: Bool, isEnd: Bool) { (self.id, self.isStart, self.isEnd) = (id, isStart, isEnd) }
}

/// The answer to a request: the outputs in the order asked for, or else in the model's order.
package struct InferenceAnswer: Sendable {
  package var model: String
  package var version: String
  package var id: String?
  package var outputs: [ServingTensor]

  package init(model: String, version: String, id: String?, outputs: [ServingTensor]) {
    (self.model, self.version, self.id, self.outputs) = (model, version, id, outputs)
  }
}
