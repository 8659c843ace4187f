import CoreMLBase
import CoreMLServingInterface
import CoreMLServingProtocol
import NIOCore
import NIOHTTP1

/// Requests that wait for something run in a task, and answer on the event loop.
extension ConnectionHandler {
  func infer(_ exchange: Exchange, _ model: String, _ version: String?) {
    guard let assembler = exchange.assembler else { return }
    do throws(ServingError) { try exchange.inflater?.finish() } catch {
      respond(exchange, HTTPAnswer(error))
      return
    }
    let (arrival, deadline) = (exchange.arrival, exchange.deadline)
    let acceptEncoding = exchange.head.headers.first(name: "accept-encoding")
    let user = exchange.user
    perform(exchange) { [service = server.service] () async throws(ServingError) -> HTTPAnswer in
      let assembled = try assembler.finish { () throws(ServingError) in
        try service.metadata(model: model, version: version)
      }
      var request = assembled.request(model: model, version: version, arrival: arrival, deadline: deadline)
      // Sequences of different tokens never meet.
      if let user, let id = request.sequence?.id { request.sequence?.id = "\(user)/\(id)" }
      let answer = try await service.infer(request)
      var bytes = try HTTPAnswer(AnswerBytes(answer, form: assembled.answerForm), acceptEncoding: acceptEncoding)
      bytes.requestID = answer.id
      return bytes
    }
  }

  func changeRepository(_ exchange: Exchange) {
    let parameters: [String: ParameterValue]
    do throws(ServingError) { parameters = try Documents.loadRequest(exchange.body.bytes) } catch {
      respond(exchange, HTTPAnswer(error))
      return
    }
    let route = exchange.route
    perform(exchange) { [service = server.service] () async throws(ServingError) -> HTTPAnswer in
      switch route {
      case .load(let model):
        do throws(ServingError) { try await service.load(model: model, parameters: parameters) } catch {
          // Clients look for these words.
          guard !error.message.contains("failed to load") else { throw error }
          throw ServingError(
            error.code, "failed to load '\(model)': \(error.message)", retryAfter: error.retryAfter)
        }
      case .unload(let model): try await service.unload(model: model, parameters: parameters)
      default: break
      }
      return .empty()
    }
  }

  func page(_ exchange: Exchange) {
    guard let pages = server.options.pages else {
      respond(exchange, HTTPAnswer(ServingError(.notFound, "There is no such path.")))
      return
    }
    let request = PageRequest(
      method: exchange.head.method.rawValue, target: exchange.head.uri, body: Array(exchange.body.bytes))
    exchange.endsWithClient = true
    perform(exchange) { () async throws(ServingError) -> HTTPAnswer in
      guard let page = await pages(request) else {
        throw ServingError(.notFound, "There is no path '\(request.target.prefix(256))'.")
      }
      let store = ByteStore()
      page.body.withUnsafeBytes { store.append($0) }
      try store.check()
      var fields = HTTPHeaders()
      for field in page.fields where Self.isValid(field.value) { fields.add(name: field.name, value: field.value) }
      return HTTPAnswer(status: page.status, type: "", fields: fields, pieces: [.store(store)])
    }
  }

  private static func isValid(_ value: String) -> Bool { value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }

  private func perform(
    _ exchange: Exchange, _ work: @Sendable @escaping () async throws(ServingError) -> HTTPAnswer
  ) {
    // Only this event loop unpacks the two.
    let connection = UncheckedSendable((self, exchange))
    let loop = channel.eventLoop
    exchange.task = Task {
      let answer: HTTPAnswer
      do throws(ServingError) { answer = try await work() } catch { answer = HTTPAnswer(error) }
      loop.execute {
        let (handler, exchange) = connection.value
        exchange.task = nil
        handler.respond(exchange, answer)
      }
    }
  }
}
