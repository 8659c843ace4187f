import CoreMLBase
import CoreMLServingInterface
import CoreMLServingProtocol
import NIOHTTP1

/// Answers that need no waiting.
extension ServerContext {
  /// The answer to a route that is neither inference nor loading.
  func document(_ route: Route, body: ByteStore) throws(ServingError) -> HTTPAnswer {
    switch route {
    case .live: return .json(try Documents.live(service.isLive), status: service.isLive ? 200 : 503)
    case .ready:
      let isReady = service.isReady && !isDraining
      return .json(try Documents.ready(isReady), status: isReady ? 200 : 503)
    case .modelReady(let model, let version):
      let isReady = try service.isReady(model: model, version: version)
      return .json(try Documents.ready(model: model, isReady), status: isReady ? 200 : 503)
    case .server: return .json(try Documents.server(name: options.serverName, version: PackageVersion.current))
    case .models: return .json(try Documents.models(service.index(readyOnly: false)))
    case .model(let model, let version):
      return .json(try Documents.model(try service.metadata(model: model, version: version)))
    case .config(let model, let version):
      return .json(try Documents.config(try service.metadata(model: model, version: version)))
    case .statistics(let model, let version):
      return .json(try Documents.statistics(try service.statistics(model: model, version: version)))
    case .index: return .json(try Documents.index(service.index(readyOnly: try Documents.indexRequest(body.bytes))))
    case .metrics: return try metrics()
    case .sharedMemoryStatus: return .json(try JSONWriter.document { $0.array([Int]()) { _, _ in } })
    // There is never a region, so none is left to remove.
    case .sharedMemoryUnregister: return .empty()
    case .sharedMemoryRegister:
      throw ServingError(.unsupported, "The server does not use the shared memory of clients.")
    case .unsupported(let sentence): throw ServingError(.unsupported, sentence)
    case .unknown, .infer, .load, .unload: throw ServingError(.notFound, "There is no such path.")
    }
  }

  private func metrics() throws(ServingError) -> HTTPAnswer {
    var text = PrometheusText()
    let statistics = try service.statistics(model: nil, version: nil)
    Metrics.append(statistics, service.index(readyOnly: false), to: &text)
    counters.append(to: &text)
    if options.hasTritonMetrics { Metrics.appendTriton(statistics, to: &text) }
    let store = ByteStore()
    store.append(text: text.text)
    try store.check()
    return HTTPAnswer(status: 200, type: PrometheusText.contentType, pieces: [.store(store)])
  }
}
