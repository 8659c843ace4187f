import CoreMLServingInterface
import Foundation
import Testing

@testable import CoreMLServingProtocol

/// The form of requests.
@Suite struct RequestReaderTests {
  @Test func allFields() throws {
    let request = try Requests.json(
      #"""
      {"id": "42", "unknown": {"a": [1, {"b": null}]},
       "parameters": {"priority": 2, "timeout": 5000, "sequence_id": 7, "sequence_start": true, "mine": 1.5, "list": [1]},
       "inputs": [{"data": [1, 2], "parameters": {"content_type": "np"}, "shape": [1, 2], "datatype": "FP32", "name": "x"}],
       "outputs": [{"name": "y", "parameters": {"classification": 3, "binary_data": true, "format": "png"}}, {"name": "z"}]}
      """#)
    #expect(request.id == "42")
    #expect(request.parameters.priority == 2)
    #expect(request.parameters.timeout == .milliseconds(5))
    #expect(request.parameters.sequence?.id == "7")
    #expect(request.parameters.sequence?.isStart == true)
    #expect(request.parameters.others == ["mine": .number(1.5)])
    #expect(request.inputs[0].values(Float.self) == [1, 2])
    #expect(request.inputs[0].parameters == ["content_type": .text("np")])
    #expect(request.outputs.map(\.name) == ["y", "z"])
    #expect(request.outputs[0].classification == 3)
    #expect(request.outputs[0].parameters == ["format": .text("png")])
    #expect(request.answerForm.byName == ["y": true])
    #expect(request.answerForm.isBinary == false)
    let core = request.request(model: "m", version: nil, arrival: .now, deadline: .now + .seconds(1))
    #expect(core.deadline! < .now + .milliseconds(100))
  }

  @Test(arguments: [
    "", " ", "[]", "{", "{}", "nul", #"{"inputs":[]} x"#, #"{"inputs":{}}"#, #"{"inputs":[],}"#, #"{"inputs":[1]}"#,
    #"{"inputs":[],"inputs":[]}"#, #"{"inputs":[{"name":"x","name":"x","datatype":"FP32","shape":[1],"data":[1]}]}"#,
    #"{"inputs":[{"datatype":"FP32","shape":[1],"data":[1]}]}"#, #"{"inputs":[{"name":"x","shape":[1],"data":[1]}]}"#,
    #"{"inputs":[{"name":"x","datatype":"FP32","data":[1]}]}"#,
    #"{"inputs":[{"name":"x","datatype":"FP32","shape":[1]}]}"#,
    #"{"inputs":[{"name":"x","datatype":"FP99","shape":[1],"data":[1]}]}"#,
    #"{"inputs":[{"name":"x","datatype":"FP32","shape":[-1],"data":[1]}]}"#,
    #"{"inputs":[{"name":"x","datatype":"FP32","shape":[1.5],"data":[1]}]}"#,
    #"{"inputs":[{"name":"x","datatype":"FP32","shape":["1"],"data":[1]}]}"#,
    #"{"inputs":[{"name":"x","datatype":"FP32","shape":[4611686018427387904,16],"data":[1]}]}"#,
    #"{"inputs":[{"name":"x","datatype":"FP32","shape":[0,4611686018427387904,16],"data":[]}]}"#,
    #"{"inputs":[{"name":"x","datatype":"FP32","shape":[1000000000],"data":[1]}]}"#,
    #"{"inputs":[{"name":"x","datatype":"FP32","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"data":[1]}]}"#,
    #"{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"data":[1],"parameters":{"binary_data_size":4}}]}"#,
    #"{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"parameters":{"binary_data_size":4}}]}"#,
    #"{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"parameters":{"shared_memory_region":"r"}}]}"#,
    #"{"inputs":[],"outputs":[{}]}"#, #"{"inputs":[],"outputs":[{"name":"y"},{"name":"y"}]}"#,
    #"{"inputs":[],"outputs":[{"name":"y","parameters":{"classification":-1}}]}"#,
    #"{"inputs":[],"parameters":{"timeout":-1}}"#, #"{"inputs":[],"parameters":{"priority":"high"}}"#,
    #"{"inputs":[],"parameters":{"sequence_start":true}}"#, #"{"inputs":[],"parameters":{"binary_data_output":2}}"#,
    #"{"inputs":[],"id":[1],"id":2}"#, #"{"inputs":[],"id":true}"#, "{\"inputs\":[],\"\u{0}\":1}",
  ]) func refuses(_ text: String) { #expect(Requests.refusal(text)?.code == .invalidArgument) }

  @Test func refusesDepth() {
    func nested(_ depth: Int) -> String {
      #"{"inputs":[],"x":\#(String(repeating: "[", count: depth))\#(String(repeating: "]", count: depth))}"#
    }
    #expect(Requests.refusal(nested(31)) == nil)
    #expect(Requests.refusal(nested(32)) != nil)
    #expect(Requests.refusal(nested(100_000)) != nil)
    let objects = String(repeating: #"{"a":"#, count: 40)
    #expect(Requests.refusal(#"{"inputs":[],"x":\#(objects)"#)?.message.contains("levels") == true)
  }

  @Test func refusesWhatNeedsMuchMemory() throws {
    let names = (0..<5000).map { #""n\#($0)":0"# }.joined(separator: ",")
    #expect(Requests.refusal(#"{"inputs":[],\#(names)}"#)?.message.contains("4096 names") == true)
    // Each tensor is within the limit, and not both together.
    let half = TensorDataReader.mostByteStrings / 2 + 1
    let data = String(repeating: #""","#, count: half).dropLast()
    let tensors = ["a", "b"].map { #"{"name":"\#($0)","datatype":"BYTES","shape":[\#(half)],"data":[\#(data)]}"# }
    #expect(Requests.refusal(#"{"inputs":[\#(tensors[0])]}"#) == nil)
    #expect(Requests.refusal(#"{"inputs":[\#(tensors.joined(separator: ","))]}"#)?.code == .tooLarge)
  }

  @Test func everyPrefixIsRefused() {
    let text =
      #"{"id":"1","inputs":[{"name":"x","shape":[2],"datatype":"FP32","data":[1.5,-2e3]},{"name":"s","datatype":"BYTES","shape":[1],"data":["\u00e9a"]}]}"#
    #expect(Requests.refusal(text) == nil)
    for count in 0..<text.utf8.count {
      #expect(Requests.refusal(String(decoding: Array(text.utf8).prefix(count), as: UTF8.self)) != nil)
    }
  }

  @Test func limitOfTheBody() {
    #expect(throws: ServingError.self) { try Requests.read(Array(repeating: 0x20, count: 100), limit: 99) }
    let error = #expect(throws: ServingError.self) {
      let assembler = try RequestAssembler(form: .json, contentLength: nil, limit: 10)
      for _ in 0..<4 { _ = try Requests.with([1, 2, 3]) { bytes throws(ServingError) in try assembler.append(bytes) } }
    }
    #expect(error?.code == .tooLarge)
  }
}
