import CoreMLBase
import CoreMLSpec
import MIL
import TestModels
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// What `Support` reports, compared with what the importers do with an empty model of each type.
@Suite struct SupportTests {
  @Test func aModelTypeRunsWhereItsImporterTakesIt() throws {
    let listed = Dictionary(uniqueKeysWithValues: try Support().modelTypes.map { ($0.name, $0.runs) })
    for member in Specification.Model.OneOfType.members {
      var code: RuntimeError.Code?
      do { _ = try ModelImport.model(ModelFile(Bytes(FeatureModels.model(member.number, [], [])))) } catch let error
        as RuntimeError
      {
        code = error.code
      } catch {}
      #expect((code == .closedModelType) == (listed[member.name] == false), "\(member.name)")
    }
  }

  @Test func aLayerRunsWhereItsImporterTakesIt() throws {
    let listed = Dictionary(uniqueKeysWithValues: try Support().layers.map { ($0.name, $0.runs) })
    for member in Specification.NeuralNetworkLayer.OneOfLayer.members {
      let importer = NetworkImport()
      var code: RuntimeError.Code?
      do { try importer.lower(member.empty) } catch let error as RuntimeError { code = error.code } catch {}
      #expect((code == .unsupported) == (listed[member.name] == false), "\(member.name)")
    }
  }

  @Test func whatRunsHasADefinition() throws {
    for operation in try Support().operations + Support().ownOperations {
      #expect(operation.runs == (Operations.all[operation.name] != nil), "\(operation.name)")
    }
  }
}
