// swift-format-ignore-file
import CoreML

// Tools that query where a model will run, and what each part of it costs.

struct PlanReport: Codable, Sendable {
    struct Row: Codable, Sendable {
        var name: String
        var op: String
        var device: String?
        var supported: [String]
        var cost: Double?
    }
    var rows: [Row] = []
    var countByDevice: [String: Int] = [:]
}

extension MLComputeDevice {
    var shortName: String {
        switch self {
        case .cpu: return "CPU"
        case .gpu: return "GPU"
        case .neuralEngine: return "NE"
        @unknown default: return "?"
        }
    }

    var isNeuralEngine: Bool {
        if case .neuralEngine(let engine) = self { return engine.totalCoreCount > 0 }
        return false
    }
}

actor PlanTool {
    let url: URL
    let configuration: MLModelConfiguration
    private(set) var plan: MLComputePlan?

    init(url: URL, units: MLComputeUnits = .all) {
        self.url = url
        configuration = MLModelConfiguration()
        configuration.computeUnits = units
    }

    func load() async throws {
        plan = try await MLComputePlan.load(contentsOf: url, configuration: configuration)
    }

    func report() throws -> PlanReport {
        guard let plan else { throw CocoaError(.fileNoSuchFile) }
        var report = PlanReport()
        visit(plan.modelStructure, plan, &report)
        return report
    }

    private func visit(_ structure: MLModelStructure, _ plan: MLComputePlan, _ report: inout PlanReport) {
        switch structure {
        case .program(let program):
            for (_, function) in program.functions.sorted(by: { $0.key < $1.key }) { visit(function.block, plan, &report) }
        case let .neuralNetwork(network):
            for layer in network.layers {
                add(layer.name, layer.type, plan.deviceUsage(for: layer), nil, &report)
            }
        case .pipeline(let pipeline):
            for (name, model) in zip(pipeline.subModelNames, pipeline.subModels) where !name.isEmpty { visit(model, plan, &report) }
        case .unsupported:
            break
        @unknown default:
            break
        }
    }

    private func visit(_ block: MLModelStructure.Program.Block, _ plan: MLComputePlan, _ report: inout PlanReport) {
        for operation in block.operations {
            let usage: MLComputePlan.DeviceUsage? = plan.deviceUsage(for: operation)
            let cost: MLComputePlan.Cost? = plan.estimatedCost(of: operation)
            if operation.operatorName != "const" {
                add(operation.outputs.map(\.name).joined(separator: ","), operation.operatorName, usage, cost, &report)
            }
            for block in operation.blocks { visit(block, plan, &report) }
        }
    }

    private func add(_ name: String, _ op: String, _ usage: MLComputePlan.DeviceUsage?, _ cost: MLComputePlan.Cost?, _ report: inout PlanReport) {
        report.rows.append(.init(name: name, op: op, device: usage?.preferred.shortName, supported: usage?.supported.map(\.shortName) ?? [], cost: cost?.weight))
        if let usage { report.countByDevice[usage.preferred.shortName, default: 0] += 1 }
    }
}

/// The values of a program's operations, and their readers.
final class DataFlow {
    private(set) var producers: [String: String] = [:]
    private(set) var consumers: [String: [String]] = [:]
    private(set) var constants = 0

    init(_ structure: MLModelStructure) {
        guard case .program(let program) = structure, let main = program.functions["main"] else { return }
        for input: MLModelStructure.Program.NamedValueType in main.inputs { producers[input.name] = "input" }
        read(main.block)
    }

    private func read(_ block: MLModelStructure.Program.Block) {
        for operation: MLModelStructure.Program.Operation in block.operations {
            for (_, argument) in operation.inputs {
                for binding: MLModelStructure.Program.Binding in argument.bindings {
                    switch binding {
                    case .name(let name): consumers[name, default: []].append(operation.operatorName)
                    case .value: constants += 1
                    @unknown default: break
                    }
                }
            }
            for output in operation.outputs { producers[output.name] = operation.operatorName }
            operation.blocks.forEach(read)
        }
    }
}

func describeDevices() -> [String] {
    var lines = [String]()
    for device in MLModel.availableComputeDevices {
        switch device {
        case .cpu(let cpu): lines.append("CPU \(cpu)")
        case .gpu(let gpu): lines.append("GPU \(gpu)")
        case .neuralEngine(let engine): lines.append("ANE \(engine.totalCoreCount)")
        @unknown default: break
        }
    }
    let named = MLComputeDevice.allComputeDevices.map { $0.description }
    precondition(named.count == lines.count)
    for device in MLAllComputeDevices() where device is MLCPUComputeDevice { lines.append("the processor") }
    return lines
}
