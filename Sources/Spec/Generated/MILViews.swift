// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLBase

extension MILSpec {
  package enum DataType: Int32, Sendable, CaseIterable {
    case unusedType = 0
    case bool = 1
    case string = 2
    case float8e4m3fn = 40
    case float8e5m2 = 41
    case float16 = 10
    case float32 = 11
    case float64 = 12
    case bfloat16 = 13
    case int8 = 21
    case int16 = 22
    case int32 = 23
    case int64 = 24
    case int4 = 25
    case uint8 = 31
    case uint16 = 32
    case uint32 = 33
    case uint64 = 34
    case uint4 = 35
    case uint2 = 36
    case uint1 = 37
    case uint6 = 38
    case uint3 = 39
  }
  /// `CoreML.Specification.MILSpec.Program`
  package struct Program: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var version: Int64 { get throws { try message.int64(1) } }
    package var functions: [String: MILSpec.Function] { get throws { Dictionary(entries: try functionsInOrder) } }
    package var functionsInOrder: [(key: String, value: MILSpec.Function)] { get throws { try message.entries(2) { (try $0.string(1), MILSpec.Function(try $0.message(2) ?? Message())) } } }
    package var docString: String { get throws { try message.string(3) } }
    package var attributes: [String: MILSpec.Value] { get throws { Dictionary(entries: try attributesInOrder) } }
    package var attributesInOrder: [(key: String, value: MILSpec.Value)] { get throws { try message.entries(4) { (try $0.string(1), MILSpec.Value(try $0.message(2) ?? Message())) } } }
  }
  /// `CoreML.Specification.MILSpec.Function`
  package struct Function: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var inputs: Views<MILSpec.NamedValueType> { get throws { try message.views(1, MILSpec.NamedValueType.self) } }
    package var opset: String { get throws { try message.string(2) } }
    package var blockSpecializations: [String: MILSpec.Block] { get throws { Dictionary(entries: try blockSpecializationsInOrder) } }
    package var blockSpecializationsInOrder: [(key: String, value: MILSpec.Block)] { get throws { try message.entries(3) { (try $0.string(1), MILSpec.Block(try $0.message(2) ?? Message())) } } }
    package var attributes: [String: MILSpec.Value] { get throws { Dictionary(entries: try attributesInOrder) } }
    package var attributesInOrder: [(key: String, value: MILSpec.Value)] { get throws { try message.entries(4) { (try $0.string(1), MILSpec.Value(try $0.message(2) ?? Message())) } } }
  }
  /// `CoreML.Specification.MILSpec.Block`
  package struct Block: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var inputs: Views<MILSpec.NamedValueType> { get throws { try message.views(1, MILSpec.NamedValueType.self) } }
    package var outputs: [String] { get throws { try message.strings(2) } }
    package var operations: Views<MILSpec.Operation> { get throws { try message.views(3, MILSpec.Operation.self) } }
    package var attributes: [String: MILSpec.Value] { get throws { Dictionary(entries: try attributesInOrder) } }
    package var attributesInOrder: [(key: String, value: MILSpec.Value)] { get throws { try message.entries(4) { (try $0.string(1), MILSpec.Value(try $0.message(2) ?? Message())) } } }
  }
  /// `CoreML.Specification.MILSpec.Argument`
  package struct Argument: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var arguments: Views<MILSpec.Argument.Binding> { get throws { try message.views(1, MILSpec.Argument.Binding.self) } }
    /// `CoreML.Specification.MILSpec.Argument.Binding`
    package struct Binding: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var name: String? { get throws { try message.member(1, of: Self.bindingFields)?.string() } }
      package var value: MILSpec.Value? { get throws { try message.message(2, of: Self.bindingFields).map(MILSpec.Value.init) } }
      static let bindingFields = [1, 2]
      package enum OneOfBinding: Sendable {
        case name(String)
        case value(MILSpec.Value)
        /// Every member under its name in the schema, with nothing in it.
        package static var members: [OneOfMember<Self>] {
          [
            OneOfMember(1, "name", .name(String())),
            OneOfMember(2, "value", .value(MILSpec.Value(Message()))),
          ]
        }
      }
      package var binding: OneOfBinding? {
        get throws {
          guard let member = try message.member(of: Self.bindingFields) else { return nil }
          switch member.number {
          case 1: return .name(try member.string())
          case 2: return .value(MILSpec.Value(try member.message()))
          default: return nil
          }
        }
      }
    }
  }
  /// `CoreML.Specification.MILSpec.Operation`
  package struct Operation: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var type: String { get throws { try message.string(1) } }
    package var inputs: [String: MILSpec.Argument] { get throws { Dictionary(entries: try inputsInOrder) } }
    package var inputsInOrder: [(key: String, value: MILSpec.Argument)] { get throws { try message.entries(2) { (try $0.string(1), MILSpec.Argument(try $0.message(2) ?? Message())) } } }
    package var outputs: Views<MILSpec.NamedValueType> { get throws { try message.views(3, MILSpec.NamedValueType.self) } }
    package var blocks: Views<MILSpec.Block> { get throws { try message.views(4, MILSpec.Block.self) } }
    package var attributes: [String: MILSpec.Value] { get throws { Dictionary(entries: try attributesInOrder) } }
    package var attributesInOrder: [(key: String, value: MILSpec.Value)] { get throws { try message.entries(5) { (try $0.string(1), MILSpec.Value(try $0.message(2) ?? Message())) } } }
  }
  /// `CoreML.Specification.MILSpec.NamedValueType`
  package struct NamedValueType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var name: String { get throws { try message.string(1) } }
    package var type: MILSpec.ValueType? { get throws { try message.message(2).map(MILSpec.ValueType.init) } }
  }
  /// `CoreML.Specification.MILSpec.ValueType`
  package struct ValueType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var tensorType: MILSpec.TensorType? { get throws { try message.message(1, of: Self.typeFields).map(MILSpec.TensorType.init) } }
    package var listType: MILSpec.ListType? { get throws { try message.message(2, of: Self.typeFields).map(MILSpec.ListType.init) } }
    package var tupleType: MILSpec.TupleType? { get throws { try message.message(3, of: Self.typeFields).map(MILSpec.TupleType.init) } }
    package var dictionaryType: MILSpec.DictionaryType? { get throws { try message.message(4, of: Self.typeFields).map(MILSpec.DictionaryType.init) } }
    package var stateType: MILSpec.StateType? { get throws { try message.message(5, of: Self.typeFields).map(MILSpec.StateType.init) } }
    static let typeFields = [1, 2, 3, 4, 5]
    package enum OneOfType: Sendable {
      case tensorType(MILSpec.TensorType)
      case listType(MILSpec.ListType)
      case tupleType(MILSpec.TupleType)
      case dictionaryType(MILSpec.DictionaryType)
      case stateType(MILSpec.StateType)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "tensorType", .tensorType(MILSpec.TensorType(Message()))),
          OneOfMember(2, "listType", .listType(MILSpec.ListType(Message()))),
          OneOfMember(3, "tupleType", .tupleType(MILSpec.TupleType(Message()))),
          OneOfMember(4, "dictionaryType", .dictionaryType(MILSpec.DictionaryType(Message()))),
          OneOfMember(5, "stateType", .stateType(MILSpec.StateType(Message()))),
        ]
      }
    }
    package var type: OneOfType? {
      get throws {
        guard let member = try message.member(of: Self.typeFields) else { return nil }
        switch member.number {
        case 1: return .tensorType(MILSpec.TensorType(try member.message()))
        case 2: return .listType(MILSpec.ListType(try member.message()))
        case 3: return .tupleType(MILSpec.TupleType(try member.message()))
        case 4: return .dictionaryType(MILSpec.DictionaryType(try member.message()))
        case 5: return .stateType(MILSpec.StateType(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.MILSpec.TensorType`
  package struct TensorType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var dataType: MILSpec.DataType { get throws { try message.value(1, MILSpec.DataType.self) } }
    package var rank: Int64 { get throws { try message.int64(2) } }
    package var dimensions: Views<MILSpec.Dimension> { get throws { try message.views(3, MILSpec.Dimension.self) } }
    package var attributes: [String: MILSpec.Value] { get throws { Dictionary(entries: try attributesInOrder) } }
    package var attributesInOrder: [(key: String, value: MILSpec.Value)] { get throws { try message.entries(4) { (try $0.string(1), MILSpec.Value(try $0.message(2) ?? Message())) } } }
  }
  /// `CoreML.Specification.MILSpec.TupleType`
  package struct TupleType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var types: Views<MILSpec.ValueType> { get throws { try message.views(1, MILSpec.ValueType.self) } }
  }
  /// `CoreML.Specification.MILSpec.ListType`
  package struct ListType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var type: MILSpec.ValueType? { get throws { try message.message(1).map(MILSpec.ValueType.init) } }
    package var length: MILSpec.Dimension? { get throws { try message.message(2).map(MILSpec.Dimension.init) } }
  }
  /// `CoreML.Specification.MILSpec.DictionaryType`
  package struct DictionaryType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var keyType: MILSpec.ValueType? { get throws { try message.message(1).map(MILSpec.ValueType.init) } }
    package var valueType: MILSpec.ValueType? { get throws { try message.message(2).map(MILSpec.ValueType.init) } }
  }
  /// `CoreML.Specification.MILSpec.StateType`
  package struct StateType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var wrappedType: MILSpec.ValueType? { get throws { try message.message(1).map(MILSpec.ValueType.init) } }
  }
  /// `CoreML.Specification.MILSpec.Dimension`
  package struct Dimension: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var constant: MILSpec.Dimension.ConstantDimension? { get throws { try message.message(1, of: Self.dimensionFields).map(MILSpec.Dimension.ConstantDimension.init) } }
    package var unknown: MILSpec.Dimension.UnknownDimension? { get throws { try message.message(2, of: Self.dimensionFields).map(MILSpec.Dimension.UnknownDimension.init) } }
    static let dimensionFields = [1, 2]
    package enum OneOfDimension: Sendable {
      case constant(MILSpec.Dimension.ConstantDimension)
      case unknown(MILSpec.Dimension.UnknownDimension)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "constant", .constant(MILSpec.Dimension.ConstantDimension(Message()))),
          OneOfMember(2, "unknown", .unknown(MILSpec.Dimension.UnknownDimension(Message()))),
        ]
      }
    }
    package var dimension: OneOfDimension? {
      get throws {
        guard let member = try message.member(of: Self.dimensionFields) else { return nil }
        switch member.number {
        case 1: return .constant(MILSpec.Dimension.ConstantDimension(try member.message()))
        case 2: return .unknown(MILSpec.Dimension.UnknownDimension(try member.message()))
        default: return nil
        }
      }
    }
    /// `CoreML.Specification.MILSpec.Dimension.ConstantDimension`
    package struct ConstantDimension: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var size: UInt64 { get throws { try message.uint64(1) } }
    }
    /// `CoreML.Specification.MILSpec.Dimension.UnknownDimension`
    package struct UnknownDimension: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var variadic: Bool { get throws { try message.bool(1) } }
    }
  }
  /// `CoreML.Specification.MILSpec.Value`
  package struct Value: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var docString: String { get throws { try message.string(1) } }
    package var type: MILSpec.ValueType? { get throws { try message.message(2).map(MILSpec.ValueType.init) } }
    package var immediateValue: MILSpec.Value.ImmediateValue? { get throws { try message.message(3, of: Self.valueFields).map(MILSpec.Value.ImmediateValue.init) } }
    package var blobFileValue: MILSpec.Value.BlobFileValue? { get throws { try message.message(5, of: Self.valueFields).map(MILSpec.Value.BlobFileValue.init) } }
    static let valueFields = [3, 5]
    package enum OneOfValue: Sendable {
      case immediateValue(MILSpec.Value.ImmediateValue)
      case blobFileValue(MILSpec.Value.BlobFileValue)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(3, "immediateValue", .immediateValue(MILSpec.Value.ImmediateValue(Message()))),
          OneOfMember(5, "blobFileValue", .blobFileValue(MILSpec.Value.BlobFileValue(Message()))),
        ]
      }
    }
    package var value: OneOfValue? {
      get throws {
        guard let member = try message.member(of: Self.valueFields) else { return nil }
        switch member.number {
        case 3: return .immediateValue(MILSpec.Value.ImmediateValue(try member.message()))
        case 5: return .blobFileValue(MILSpec.Value.BlobFileValue(try member.message()))
        default: return nil
        }
      }
    }
    /// `CoreML.Specification.MILSpec.Value.ImmediateValue`
    package struct ImmediateValue: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var tensor: MILSpec.TensorValue? { get throws { try message.message(1, of: Self.valueFields).map(MILSpec.TensorValue.init) } }
      package var tuple: MILSpec.TupleValue? { get throws { try message.message(2, of: Self.valueFields).map(MILSpec.TupleValue.init) } }
      package var list: MILSpec.ListValue? { get throws { try message.message(3, of: Self.valueFields).map(MILSpec.ListValue.init) } }
      package var dictionary: MILSpec.DictionaryValue? { get throws { try message.message(4, of: Self.valueFields).map(MILSpec.DictionaryValue.init) } }
      static let valueFields = [1, 2, 3, 4]
      package enum OneOfValue: Sendable {
        case tensor(MILSpec.TensorValue)
        case tuple(MILSpec.TupleValue)
        case list(MILSpec.ListValue)
        case dictionary(MILSpec.DictionaryValue)
        /// Every member under its name in the schema, with nothing in it.
        package static var members: [OneOfMember<Self>] {
          [
            OneOfMember(1, "tensor", .tensor(MILSpec.TensorValue(Message()))),
            OneOfMember(2, "tuple", .tuple(MILSpec.TupleValue(Message()))),
            OneOfMember(3, "list", .list(MILSpec.ListValue(Message()))),
            OneOfMember(4, "dictionary", .dictionary(MILSpec.DictionaryValue(Message()))),
          ]
        }
      }
      package var value: OneOfValue? {
        get throws {
          guard let member = try message.member(of: Self.valueFields) else { return nil }
          switch member.number {
          case 1: return .tensor(MILSpec.TensorValue(try member.message()))
          case 2: return .tuple(MILSpec.TupleValue(try member.message()))
          case 3: return .list(MILSpec.ListValue(try member.message()))
          case 4: return .dictionary(MILSpec.DictionaryValue(try member.message()))
          default: return nil
          }
        }
      }
    }
    /// `CoreML.Specification.MILSpec.Value.BlobFileValue`
    package struct BlobFileValue: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var fileName: String { get throws { try message.string(1) } }
      package var offset: UInt64 { get throws { try message.uint64(2) } }
    }
  }
  /// `CoreML.Specification.MILSpec.TensorValue`
  package struct TensorValue: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var floats: MILSpec.TensorValue.RepeatedFloats? { get throws { try message.message(1, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedFloats.init) } }
    package var ints: MILSpec.TensorValue.RepeatedInts? { get throws { try message.message(2, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedInts.init) } }
    package var bools: MILSpec.TensorValue.RepeatedBools? { get throws { try message.message(3, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedBools.init) } }
    package var strings: MILSpec.TensorValue.RepeatedStrings? { get throws { try message.message(4, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedStrings.init) } }
    package var longInts: MILSpec.TensorValue.RepeatedLongInts? { get throws { try message.message(5, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedLongInts.init) } }
    package var doubles: MILSpec.TensorValue.RepeatedDoubles? { get throws { try message.message(6, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedDoubles.init) } }
    package var bytes: MILSpec.TensorValue.RepeatedBytes? { get throws { try message.message(7, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedBytes.init) } }
    static let valueFields = [1, 2, 3, 4, 5, 6, 7]
    package enum OneOfValue: Sendable {
      case floats(MILSpec.TensorValue.RepeatedFloats)
      case ints(MILSpec.TensorValue.RepeatedInts)
      case bools(MILSpec.TensorValue.RepeatedBools)
      case strings(MILSpec.TensorValue.RepeatedStrings)
      case longInts(MILSpec.TensorValue.RepeatedLongInts)
      case doubles(MILSpec.TensorValue.RepeatedDoubles)
      case bytes(MILSpec.TensorValue.RepeatedBytes)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "floats", .floats(MILSpec.TensorValue.RepeatedFloats(Message()))),
          OneOfMember(2, "ints", .ints(MILSpec.TensorValue.RepeatedInts(Message()))),
          OneOfMember(3, "bools", .bools(MILSpec.TensorValue.RepeatedBools(Message()))),
          OneOfMember(4, "strings", .strings(MILSpec.TensorValue.RepeatedStrings(Message()))),
          OneOfMember(5, "longInts", .longInts(MILSpec.TensorValue.RepeatedLongInts(Message()))),
          OneOfMember(6, "doubles", .doubles(MILSpec.TensorValue.RepeatedDoubles(Message()))),
          OneOfMember(7, "bytes", .bytes(MILSpec.TensorValue.RepeatedBytes(Message()))),
        ]
      }
    }
    package var value: OneOfValue? {
      get throws {
        guard let member = try message.member(of: Self.valueFields) else { return nil }
        switch member.number {
        case 1: return .floats(MILSpec.TensorValue.RepeatedFloats(try member.message()))
        case 2: return .ints(MILSpec.TensorValue.RepeatedInts(try member.message()))
        case 3: return .bools(MILSpec.TensorValue.RepeatedBools(try member.message()))
        case 4: return .strings(MILSpec.TensorValue.RepeatedStrings(try member.message()))
        case 5: return .longInts(MILSpec.TensorValue.RepeatedLongInts(try member.message()))
        case 6: return .doubles(MILSpec.TensorValue.RepeatedDoubles(try member.message()))
        case 7: return .bytes(MILSpec.TensorValue.RepeatedBytes(try member.message()))
        default: return nil
        }
      }
    }
    /// `CoreML.Specification.MILSpec.TensorValue.RepeatedFloats`
    package struct RepeatedFloats: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var values: [Float] { get throws { try message.floats(1) } }
      package var valuesBytes: Bytes { get throws { try message.floatBytes(1) } }
    }
    /// `CoreML.Specification.MILSpec.TensorValue.RepeatedDoubles`
    package struct RepeatedDoubles: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var values: [Double] { get throws { try message.doubles(1) } }
      package var valuesBytes: Bytes { get throws { try message.doubleBytes(1) } }
    }
    /// `CoreML.Specification.MILSpec.TensorValue.RepeatedInts`
    package struct RepeatedInts: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var values: [Int32] { get throws { try message.int32s(1) } }
    }
    /// `CoreML.Specification.MILSpec.TensorValue.RepeatedLongInts`
    package struct RepeatedLongInts: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var values: [Int64] { get throws { try message.int64s(1) } }
    }
    /// `CoreML.Specification.MILSpec.TensorValue.RepeatedBools`
    package struct RepeatedBools: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var values: [Bool] { get throws { try message.bools(1) } }
    }
    /// `CoreML.Specification.MILSpec.TensorValue.RepeatedStrings`
    package struct RepeatedStrings: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var values: [String] { get throws { try message.strings(1) } }
    }
    /// `CoreML.Specification.MILSpec.TensorValue.RepeatedBytes`
    package struct RepeatedBytes: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var values: Bytes { get throws { try message.bytes(1) } }
    }
  }
  /// `CoreML.Specification.MILSpec.TupleValue`
  package struct TupleValue: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var values: Views<MILSpec.Value> { get throws { try message.views(1, MILSpec.Value.self) } }
  }
  /// `CoreML.Specification.MILSpec.ListValue`
  package struct ListValue: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var values: Views<MILSpec.Value> { get throws { try message.views(1, MILSpec.Value.self) } }
  }
  /// `CoreML.Specification.MILSpec.DictionaryValue`
  package struct DictionaryValue: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var values: Views<MILSpec.DictionaryValue.KeyValuePair> { get throws { try message.views(1, MILSpec.DictionaryValue.KeyValuePair.self) } }
    /// `CoreML.Specification.MILSpec.DictionaryValue.KeyValuePair`
    package struct KeyValuePair: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var key: MILSpec.Value? { get throws { try message.message(1).map(MILSpec.Value.init) } }
      package var value: MILSpec.Value? { get throws { try message.message(2).map(MILSpec.Value.init) } }
    }
  }
}
