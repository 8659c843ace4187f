import CoreMLServingInterface
import Foundation
import Testing

@testable import CoreMLServingHTTP
@testable import CoreMLServingProtocol

/// Paths, their answers and their errors.
@Suite struct FrontEndTests {
  @Test func documents() async throws {
    try await withClient { client, service in
      var answer = try await client.get("/v2/health/live")
      #expect(answer.status == 200)
      #expect(answer.fields["content-type"] == "application/json")
      #expect(answer.text == #"{"live":true}"#)
      #expect(try await client.get("/v2/health/ready").text == #"{"ready":true}"#)
      service.update { $0.isReady = false }
      answer = try await client.get("/v2/health/ready")
      #expect(answer.status == 503)
      #expect(answer.text == #"{"ready":false}"#)
      #expect(try await client.get("/v2").text.hasPrefix(#"{"name":"coreml","version":""#))
      #expect(try await client.get("/v2/models").text.contains(#""models":["add""#))
      #expect(try await client.get("/v2/models/add").text.contains(#""datatype":"FP32","shape":[1,16]"#))
      #expect(try await client.get("/v2/models/add/versions/1").status == 200)
      #expect(try await client.get("/v2/models/add/versions/2").status == 404)
      #expect(try await client.get("/v2/models/a%2Fb%20%C3%A9").status == 200)
      #expect(try await client.get("/v2/models/add/ready").text == #"{"name":"add","ready":true}"#)
      #expect(try await client.get("/v2/models/full/ready").status == 503)
      #expect(try await client.get("/v2/models/none/ready").status == 404)
      #expect(try await client.get("/v2/models/add/config").text.contains("TYPE_FP32"))
      #expect(try await client.get("/v2/models/stats").text.contains("model_stats"))
      #expect(try await client.get("/v2/models/add/stats").text.contains("inference_stats"))
      #expect(try await client.post("/v2/repository/index", "").text.hasPrefix(#"[{"name":"add""#))
      #expect(try await client.get("/v2/systemsharedmemory/status").text == "[]")
      #expect(try await client.post("/v2/systemsharedmemory/unregister", "").status == 200)
      answer = try await client.get("/metrics")
      #expect(answer.fields["content-type"] == PrometheusText.contentType)
      #expect(answer.text.contains("coreml_serving_request_seconds_bucket"))
      #expect(answer.text.contains(#"coreml_serving_http_requests_total{code="404"} 2"#))
      #expect(answer.text.contains("coreml_serving_http_connections 1"))
      #expect(!answer.text.contains("nv_inference"))
    }
  }

  @Test func tritonMetrics() async throws {
    try await withClient({ $0.hasTritonMetrics = true }) { client, _ in
      let text = try await client.get("/metrics").text
      #expect(text.contains("nv_inference_count"))
    }
  }

  @Test func refusals() async throws {
    try await withClient { client, _ in
      for path in [
        "/v2/cudasharedmemory/status", "/v2/trace/setting", "/v2/logging", "/v2/models/add/trace/setting",
      ] {
        let answer = try await client.get(path)
        #expect(answer.status == 501, "\(path)")
        #expect(answer.text.hasPrefix(#"{"error":""#))
      }
      #expect(try await client.post("/v2/models/add/generate", "{}").status == 501)
      #expect(try await client.post("/v2/systemsharedmemory/region/r/register", "{}").status == 501)
      #expect(try await client.get("/nothing").status == 404)
      #expect(try await client.get("/v2/models/%zz").status == 400)
      #expect(try await client.post("/v2/models/none/infer", Bodies.json).status == 404)
      #expect(try await client.post("/v2/models/add/infer", "{").status == 400)
      #expect(try await client.post("/v2/models/add/infer", "").status == 400)
      let answer = try await client.get("/v2/models/add/infer")
      #expect(answer.status == 405)
      #expect(answer.fields["allow"] == "POST")
      #expect(try await client.post("/v2/health/live", "x").fields["allow"] == "GET, HEAD")
      #expect(try await client.post("/v2/models/add/infer", Bodies.json, "Content-Encoding: br\r\n").status == 501)
      #expect(
        try await client.post("/v2/models/add/infer", Bodies.json, "Inference-Header-Content-Length: -1\r\n").status
          == 400)
      // The connection still works.
      #expect(try await client.get("/v2").status == 200)
    }
  }

  @Test func headHasNoBody() async throws {
    try await withClient { client, _ in
      try await client.send("HEAD /v2/health/live HTTP/1.1\r\nHost: test\r\n\r\n")
      let answer = try await client.answer(isHead: true)
      #expect(answer.status == 200)
      #expect(answer.fields["content-length"] == "13")
      #expect(try await client.get("/v2").status == 200)
    }
  }

  @Test func loadAndUnload() async throws {
    try await withClient { client, _ in
      #expect(try await client.post("/v2/repository/models/new/load", "").status == 200)
      #expect(try await client.get("/v2/models/new").status == 200)
      #expect(try await client.post("/v2/repository/models/new/unload", #"{"parameters":{}}"#).status == 200)
      #expect(try await client.get("/v2/models/new").status == 404)
      let answer = try await client.post("/v2/repository/models/bad/load", "")
      #expect(answer.status == 400)
      #expect(answer.text == #"{"error":"failed to load 'bad': The file is damaged."}"#)
      #expect(try await client.post("/v2/repository/models/new/load", "", "Origin: http://evil\r\n").status == 403)
      #expect(try await client.post("/v2/repository/models/new/load", "", "Origin: http://test\r\n").status == 200)
    }
  }

  @Test func pages() async throws {
    let change: (inout HTTPOptions) -> Void = { options in
      options.pages = { request in
        guard request.target == "/" else { return nil }
        return PageAnswer(fields: [("Content-Type", "text/html")], body: Array("<p>\(request.method)".utf8))
      }
    }
    try await withClient(change) { client, _ in
      let answer = try await client.get("/")
      #expect(answer.text == "<p>GET")
      #expect(answer.fields["content-type"] == "text/html")
      #expect(try await client.get("/none").status == 404)
    }
  }
}
