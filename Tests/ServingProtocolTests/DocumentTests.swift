import CoreMLServingInterface
import Foundation
import Testing

@testable import CoreMLServingProtocol

@Suite struct DocumentTests {
  private var model: ModelMetadata {
    ModelMetadata(
      name: "m", versions: ["1", "2"],
      inputs: [ModelMetadata.Tensor(name: "x", type: .float32, shape: [-1, 4], isOptional: true)],
      outputs: [ModelMetadata.Tensor(name: "y", type: .bytes, shape: [-1, 1], labels: ["a", "b"])])
  }

  @Test func health() throws {
    #expect(try Documents.live(true).string == #"{"live":true}"#)
    #expect(try Documents.ready(false).string == #"{"ready":false}"#)
    #expect(try Documents.ready(model: "m", true).string == #"{"name":"m","ready":true}"#)
    #expect(Documents.error("a \"b\"").string == #"{"error":"a \"b\""}"#)
  }

  @Test func metadata() throws {
    #expect(
      try Documents.model(model).string
        == #"{"name":"m","versions":["1","2"],"platform":"coreml","inputs":[{"name":"x","datatype":"FP32","shape":[-1,4],"optional":true}],"outputs":[{"name":"y","datatype":"BYTES","shape":[-1,1],"labels":["a","b"]}]}"#
    )
  }

  @Test func config() throws {
    func value(_ model: ModelMetadata) throws -> [String: Any] {
      try JSONSerialization.jsonObject(with: Data(Documents.config(model).string.utf8)) as? [String: Any] ?? [:]
    }
    var config = try value(model)
    #expect(config["max_batch_size"] as? Int == 0)
    let input = (config["input"] as? [[String: Any]])?.first
    #expect(input?["dims"] as? [Int] == [-1, 4])
    #expect(input?["data_type"] as? String == "TYPE_FP32")
    #expect((config["output"] as? [[String: Any]])?.first?["data_type"] as? String == "TYPE_STRING")
    var batched = model
    batched.parameters = ["max_batch_size": .integer(8)]
    config = try value(batched)
    #expect(config["max_batch_size"] as? Int == 8)
    #expect((config["input"] as? [[String: Any]])?.first?["dims"] as? [Int] == [4])
  }

  @Test func index() throws {
    let statuses = [
      ModelStatus(name: "a", version: "1", state: .ready, reason: ""),
      ModelStatus(name: "a", version: "2", state: .loading, reason: "why"),
    ]
    #expect(
      try Documents.index(statuses).string
        == #"[{"name":"a","version":"1","state":"READY","reason":""},{"name":"a","version":"2","state":"LOADING","reason":"why"}]"#
    )
    #expect(try Documents.models(statuses).string == #"{"models":["a"]}"#)
    #expect(try Requests.with(Array(#"{"ready":true}"#.utf8), Documents.indexRequest))
    #expect(try !Requests.with([], Documents.indexRequest))
    #expect(throws: ServingError.self) { try Requests.with(Array(#"{"ready":1}"#.utf8), Documents.indexRequest) }
    #expect(
      try Requests.with(Array(#"{"parameters":{"config":"{}","unload_dependents":true}}"#.utf8), Documents.loadRequest)
        == ["config": .text("{}"), "unload_dependents": .bool(true)])
  }

  private var statistics: ModelStatistics {
    var statistics = ModelStatistics(name: "m\"", version: "1")
    statistics.lastInference = 5
    (statistics.inferenceCount, statistics.executionCount) = (6, 3)
    statistics.success.add(.milliseconds(2))
    statistics.batches[2] = ModelStatistics.Total()
    statistics.batches[2]?.count = 3
    statistics.failures = ["serving.exhausted": 4, "serving.failed": 1]
    statistics.waiting = 9
    statistics.requestSeconds.counts[0] = 2
    statistics.requestSeconds.counts[16] = 1
    statistics.requestSeconds.sum = 12.5
    return statistics
  }

  @Test func statisticsNames() throws {
    let text = try Documents.statistics([statistics]).string
    #expect(
      text.hasPrefix(
        #"{"model_stats":[{"name":"m\"","version":"1","last_inference":5,"inference_count":6,"execution_count":3,"inference_stats":{"success":{"count":1,"ns":2000000},"fail":{"count":0,"ns":0},"queue""#
      ))
    #expect(text.contains(#""batch_stats":[{"batch_size":2,"#))
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
  }

  @Test func prometheus() {
    var text = PrometheusText()
    Metrics.append([statistics], [ModelStatus(name: "m", version: "1", state: .ready, reason: "")], to: &text)
    Metrics.appendTriton([statistics], to: &text)
    let lines = Set(text.text.split(separator: "\n").map(String.init))
    for line in [
      #"coreml_serving_request_seconds_bucket{model="m\"",version="1",le="0.0001"} 2"#,
      #"coreml_serving_request_seconds_bucket{model="m\"",version="1",le="10"} 2"#,
      #"coreml_serving_request_seconds_bucket{model="m\"",version="1",le="+Inf"} 3"#,
      #"coreml_serving_request_seconds_sum{model="m\"",version="1"} 12.5"#,
      #"coreml_serving_request_seconds_count{model="m\"",version="1"} 3"#,
      #"coreml_serving_batch_size_bucket{model="m\"",version="1",le="1"} 0"#,
      #"coreml_serving_batch_size_bucket{model="m\"",version="1",le="2"} 3"#,
      #"coreml_serving_batch_size_sum{model="m\"",version="1"} 6"#,
      #"coreml_serving_requests_total{model="m\"",version="1",code="serving.exhausted"} 4"#,
      #"coreml_serving_queue_depth{model="m\"",version="1"} 9"#,
      #"coreml_serving_model_state{model="m",version="1",state="ready"} 1"#,
      #"coreml_serving_model_state{model="m",version="1",state="loading"} 0"#,
      #"nv_inference_request_failure{model="m\"",version="1",reason="REJECTED"} 4"#,
      #"nv_inference_request_failure{model="m\"",version="1",reason="BACKEND"} 1"#,
      #"nv_inference_count{model="m\"",version="1"} 6"#,
    ] { #expect(lines.contains(line), "\(line)") }
    for line in lines where !line.hasPrefix("#") {
      #expect(line.contains(/^[a-z_]+(\{.*\})? [0-9.e+-]+$/), "\(line)")
    }
  }
}
