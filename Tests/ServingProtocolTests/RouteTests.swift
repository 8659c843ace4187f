import CoreMLServingInterface
import Testing

@testable import CoreMLServingProtocol

@Suite struct RouteTests {
  @Test(arguments: [
    ("/v2", Route.server), ("/v2/", .server), ("/v2/health/live", .live), ("/v2/health/ready", .ready),
    ("/v2/models", .models), ("/v2/models/stats", .statistics(nil, nil)), ("/metrics?x=1", .metrics),
    ("/v2/models/m", .model("m", nil)), ("/v2/models/m/versions/v10", .model("m", "v10")),
    ("/v2/models/a%2Fb%20%C3%A9/infer", .infer("a/b é", nil)), ("/v2/models/m/versions/2/infer", .infer("m", "2")),
    ("/v2/models/m/ready", .modelReady("m", nil)), ("/v2/models/m/config", .config("m", nil)),
    ("/v2/models/m/stats", .statistics("m", nil)), ("/v2/models/m/versions/1/stats", .statistics("m", "1")),
    ("/v2/repository/index", .index), ("/v2/repository/models/m/load", .load("m")),
    ("/v2/repository/models/m/unload", .unload("m")), ("/v2/systemsharedmemory/status", .sharedMemoryStatus),
    ("/v2/systemsharedmemory/region/r/register", .sharedMemoryRegister),
    ("/v2/systemsharedmemory/unregister", .sharedMemoryUnregister),
    ("/", .unknown), ("/v3", .unknown), ("/v2/models/m/x", .unknown), ("/v2/health", .unknown),
    ("/v2/repository/models/m", .unknown), ("", .unknown), ("http://host:8000/v2/health/live?x", .live),
    ("https://host", .unknown),
  ]) func paths(_ target: String, _ route: Route) throws { #expect(try Route(target: target) == route) }

  @Test(arguments: [
    "/v2/cudasharedmemory/status", "/v2/cudasharedmemory/region/r/register", "/v2/trace/setting",
    "/v2/models/m/trace/setting", "/v2/logging", "/v2/models/m/generate", "/v2/models/m/generate_stream",
  ]) func refusedByName(_ target: String) throws {
    guard case .unsupported(let sentence) = try Route(target: target) else {
      Issue.record("\(target) is not refused")
      return
    }
    #expect(sentence.hasSuffix("."))
  }

  @Test(arguments: ["/v2/models/%zz", "/v2/models/%f", "/v2/models/%ff"]) func refusesEscapes(_ target: String) {
    #expect(throws: ServingError.self) { try Route(target: target) }
  }

  @Test func statusOfEveryCode() {
    #expect(
      ServingError.Code.allCases.map { ServingError($0, "").httpStatus }
        == [400, 404, 413, 429, 503, 504, 499, 501, 401, 403, 500])
    #expect(ServingError(.exhausted, "", retryAfter: .milliseconds(2100)).retryAfterSeconds == 3)
    #expect(ServingError(.exhausted, "").retryAfterSeconds == 1)
    #expect(ServingError(.failed, "").retryAfterSeconds == nil)
  }

  @Test func traceParents() {
    let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    #expect(TraceContext(traceparent: header)?.traceID == "0af7651916cd43dd8448eb211c80319c")
    #expect(TraceContext(traceparent: header)?.isSampled == true)
    for text in ["", "00-0-0-0", header.uppercased(), header + "-x", "ff" + header.dropFirst(2)] {
      #expect(TraceContext(traceparent: text) == nil)
    }
  }
}
