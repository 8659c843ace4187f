// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension MILSpec {
  public enum DataType: Int32, Sendable, CaseIterable {
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
  public struct Program: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var version: Int64 { get throws { try message.int64(1) } }
    public var functions: [String: MILSpec.Function] { get throws { Dictionary(entries: try functionsInOrder) } }
    public var functionsInOrder: [(key: String, value: MILSpec.Function)] { get throws { try message.entries(2) { (try $0.string(1), MILSpec.Function(try $0.message(2) ?? Message())) } } }
    public var docString: String { get throws { try message.string(3) } }
    public var attributes: [String: MILSpec.Value] { get throws { Dictionary(entries: try attributesInOrder) } }
    public var attributesInOrder: [(key: String, value: MILSpec.Value)] { get throws { try message.entries(4) { (try $0.string(1), MILSpec.Value(try $0.message(2) ?? Message())) } } }
  }
  /// `CoreML.Specification.MILSpec.Function`
  public struct Function: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var inputs: Views<MILSpec.NamedValueType> { get throws { try message.views(1, MILSpec.NamedValueType.self) } }
    public var opset: String { get throws { try message.string(2) } }
    public var blockSpecializations: [String: MILSpec.Block] { get throws { Dictionary(entries: try blockSpecializationsInOrder) } }
    public var blockSpecializationsInOrder: [(key: String, value: MILSpec.Block)] { get throws { try message.entries(3) { (try $0.string(1), MILSpec.Block(try $0.message(2) ?? Message())) } } }
    public var attributes: [String: MILSpec.Value] { get throws { Dictionary(entries: try attributesInOrder) } }
    public var attributesInOrder: [(key: String, value: MILSpec.Value)] { get throws { try message.entries(4) { (try $0.string(1), MILSpec.Value(try $0.message(2) ?? Message())) } } }
  }
  /// `CoreML.Specification.MILSpec.Block`
  public struct Block: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var inputs: Views<MILSpec.NamedValueType> { get throws { try message.views(1, MILSpec.NamedValueType.self) } }
    public var outputs: [String] { get throws { try message.strings(2) } }
    public var operations: Views<MILSpec.Operation> { get throws { try message.views(3, MILSpec.Operation.self) } }
    public var attributes: [String: MILSpec.Value] { get throws { Dictionary(entries: try attributesInOrder) } }
    public var attributesInOrder: [(key: String, value: MILSpec.Value)] { get throws { try message.entries(4) { (try $0.string(1), MILSpec.Value(try $0.message(2) ?? Message())) } } }
  }
  /// `CoreML.Specification.MILSpec.Argument`
  public struct Argument: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var arguments: Views<MILSpec.Argument.Binding> { get throws { try message.views(1, MILSpec.Argument.Binding.self) } }
    /// `CoreML.Specification.MILSpec.Argument.Binding`
    public struct Binding: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var name: String? { get throws { try message.member(1, of: Self.bindingFields)?.string() } }
      public var value: MILSpec.Value? { get throws { try message.message(2, of: Self.bindingFields).map(MILSpec.Value.init) } }
      static let bindingFields = [1, 2]
      public enum OneOfBinding: Sendable {
        case name(String)
        case value(MILSpec.Value)
        /// Every member under its name in the schema, with nothing in it.
        public static var members: [OneOfMember<Self>] {
          [
            OneOfMember(1, "name", .name(String())),
            OneOfMember(2, "value", .value(MILSpec.Value(Message()))),
          ]
        }
      }
      public var binding: OneOfBinding? {
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
  public struct Operation: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var type: String { get throws { try message.string(1) } }
    public var inputs: [String: MILSpec.Argument] { get throws { Dictionary(entries: try inputsInOrder) } }
    public var inputsInOrder: [(key: String, value: MILSpec.Argument)] { get throws { try message.entries(2) { (try $0.string(1), MILSpec.Argument(try $0.message(2) ?? Message())) } } }
    public var outputs: Views<MILSpec.NamedValueType> { get throws { try message.views(3, MILSpec.NamedValueType.self) } }
    public var blocks: Views<MILSpec.Block> { get throws { try message.views(4, MILSpec.Block.self) } }
    public var attributes: [String: MILSpec.Value] { get throws { Dictionary(entries: try attributesInOrder) } }
    public var attributesInOrder: [(key: String, value: MILSpec.Value)] { get throws { try message.entries(5) { (try $0.string(1), MILSpec.Value(try $0.message(2) ?? Message())) } } }
  }
  /// `CoreML.Specification.MILSpec.NamedValueType`
  public struct NamedValueType: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var name: String { get throws { try message.string(1) } }
    public var type: MILSpec.ValueType? { get throws { try message.message(2).map(MILSpec.ValueType.init) } }
  }
  /// `CoreML.Specification.MILSpec.ValueType`
  public struct ValueType: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var tensorType: MILSpec.TensorType? { get throws { try message.message(1, of: Self.typeFields).map(MILSpec.TensorType.init) } }
    public var listType: MILSpec.ListType? { get throws { try message.message(2, of: Self.typeFields).map(MILSpec.ListType.init) } }
    public var tupleType: MILSpec.TupleType? { get throws { try message.message(3, of: Self.typeFields).map(MILSpec.TupleType.init) } }
    public var dictionaryType: MILSpec.DictionaryType? { get throws { try message.message(4, of: Self.typeFields).map(MILSpec.DictionaryType.init) } }
    public var stateType: MILSpec.StateType? { get throws { try message.message(5, of: Self.typeFields).map(MILSpec.StateType.init) } }
    static let typeFields = [1, 2, 3, 4, 5]
    public enum OneOfType: Sendable {
      case tensorType(MILSpec.TensorType)
      case listType(MILSpec.ListType)
      case tupleType(MILSpec.TupleType)
      case dictionaryType(MILSpec.DictionaryType)
      case stateType(MILSpec.StateType)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "tensorType", .tensorType(MILSpec.TensorType(Message()))),
          OneOfMember(2, "listType", .listType(MILSpec.ListType(Message()))),
          OneOfMember(3, "tupleType", .tupleType(MILSpec.TupleType(Message()))),
          OneOfMember(4, "dictionaryType", .dictionaryType(MILSpec.DictionaryType(Message()))),
          OneOfMember(5, "stateType", .stateType(MILSpec.StateType(Message()))),
        ]
      }
    }
    public var type: OneOfType? {
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
  public struct TensorType: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var dataType: MILSpec.DataType { get throws { try message.value(1, MILSpec.DataType.self) } }
    public var rank: Int64 { get throws { try message.int64(2) } }
    public var dimensions: Views<MILSpec.Dimension> { get throws { try message.views(3, MILSpec.Dimension.self) } }
    public var attributes: [String: MILSpec.Value] { get throws { Dictionary(entries: try attributesInOrder) } }
    public var attributesInOrder: [(key: String, value: MILSpec.Value)] { get throws { try message.entries(4) { (try $0.string(1), MILSpec.Value(try $0.message(2) ?? Message())) } } }
  }
  /// `CoreML.Specification.MILSpec.TupleType`
  public struct TupleType: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var types: Views<MILSpec.ValueType> { get throws { try message.views(1, MILSpec.ValueType.self) } }
  }
  /// `CoreML.Specification.MILSpec.ListType`
  public struct ListType: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var type: MILSpec.ValueType? { get throws { try message.message(1).map(MILSpec.ValueType.init) } }
    public var length: MILSpec.Dimension? { get throws { try message.message(2).map(MILSpec.Dimension.init) } }
  }
  /// `CoreML.Specification.MILSpec.DictionaryType`
  public struct DictionaryType: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var keyType: MILSpec.ValueType? { get throws { try message.message(1).map(MILSpec.ValueType.init) } }
    public var valueType: MILSpec.ValueType? { get throws { try message.message(2).map(MILSpec.ValueType.init) } }
  }
  /// `CoreML.Specification.MILSpec.StateType`
  public struct StateType: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var wrappedType: MILSpec.ValueType? { get throws { try message.message(1).map(MILSpec.ValueType.init) } }
  }
  /// `CoreML.Specification.MILSpec.Dimension`
  public struct Dimension: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var constant: MILSpec.Dimension.ConstantDimension? { get throws { try message.message(1, of: Self.dimensionFields).map(MILSpec.Dimension.ConstantDimension.init) } }
    public var unknown: MILSpec.Dimension.UnknownDimension? { get throws { try message.message(2, of: Self.dimensionFields).map(MILSpec.Dimension.UnknownDimension.init) } }
    static let dimensionFields = [1, 2]
    public enum OneOfDimension: Sendable {
      case constant(MILSpec.Dimension.ConstantDimension)
      case unknown(MILSpec.Dimension.UnknownDimension)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "constant", .constant(MILSpec.Dimension.ConstantDimension(Message()))),
          OneOfMember(2, "unknown", .unknown(MILSpec.Dimension.UnknownDimension(Message()))),
        ]
      }
    }
    public var dimension: OneOfDimension? {
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
    public struct ConstantDimension: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var size: UInt64 { get throws { try message.uint64(1) } }
    }
    /// `CoreML.Specification.MILSpec.Dimension.UnknownDimension`
    public struct UnknownDimension: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var variadic: Bool { get throws { try message.bool(1) } }
    }
  }
  /// `CoreML.Specification.MILSpec.Value`
  public struct Value: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var docString: String { get throws { try message.string(1) } }
    public var type: MILSpec.ValueType? { get throws { try message.message(2).map(MILSpec.ValueType.init) } }
    public var immediateValue: MILSpec.Value.ImmediateValue? { get throws { try message.message(3, of: Self.valueFields).map(MILSpec.Value.ImmediateValue.init) } }
    public var blobFileValue: MILSpec.Value.BlobFileValue? { get throws { try message.message(5, of: Self.valueFields).map(MILSpec.Value.BlobFileValue.init) } }
    static let valueFields = [3, 5]
    public enum OneOfValue: Sendable {
      case immediateValue(MILSpec.Value.ImmediateValue)
      case blobFileValue(MILSpec.Value.BlobFileValue)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(3, "immediateValue", .immediateValue(MILSpec.Value.ImmediateValue(Message()))),
          OneOfMember(5, "blobFileValue", .blobFileValue(MILSpec.Value.BlobFileValue(Message()))),
        ]
      }
    }
    public var value: OneOfValue? {
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
    public struct ImmediateValue: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var tensor: MILSpec.TensorValue? { get throws { try message.message(1, of: Self.valueFields).map(MILSpec.TensorValue.init) } }
      public var tuple: MILSpec.TupleValue? { get throws { try message.message(2, of: Self.valueFields).map(MILSpec.TupleValue.init) } }
      public var list: MILSpec.ListValue? { get throws { try message.message(3, of: Self.valueFields).map(MILSpec.ListValue.init) } }
      public var dictionary: MILSpec.DictionaryValue? { get throws { try message.message(4, of: Self.valueFields).map(MILSpec.DictionaryValue.init) } }
      static let valueFields = [1, 2, 3, 4]
      public enum OneOfValue: Sendable {
        case tensor(MILSpec.TensorValue)
        case tuple(MILSpec.TupleValue)
        case list(MILSpec.ListValue)
        case dictionary(MILSpec.DictionaryValue)
        /// Every member under its name in the schema, with nothing in it.
        public static var members: [OneOfMember<Self>] {
          [
            OneOfMember(1, "tensor", .tensor(MILSpec.TensorValue(Message()))),
            OneOfMember(2, "tuple", .tuple(MILSpec.TupleValue(Message()))),
            OneOfMember(3, "list", .list(MILSpec.ListValue(Message()))),
            OneOfMember(4, "dictionary", .dictionary(MILSpec.DictionaryValue(Message()))),
          ]
        }
      }
      public var value: OneOfValue? {
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
    public struct BlobFileValue: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var fileName: String { get throws { try message.string(1) } }
      public var offset: UInt64 { get throws { try message.uint64(2) } }
    }
  }
  /// `CoreML.Specification.MILSpec.TensorValue`
  public struct TensorValue: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var floats: MILSpec.TensorValue.RepeatedFloats? { get throws { try message.message(1, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedFloats.init) } }
    public var ints: MILSpec.TensorValue.RepeatedInts? { get throws { try message.message(2, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedInts.init) } }
    public var bools: MILSpec.TensorValue.RepeatedBools? { get throws { try message.message(3, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedBools.init) } }
    public var strings: MILSpec.TensorValue.RepeatedStrings? { get throws { try message.message(4, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedStrings.init) } }
    public var longInts: MILSpec.TensorValue.RepeatedLongInts? { get throws { try message.message(5, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedLongInts.init) } }
    public var doubles: MILSpec.TensorValue.RepeatedDoubles? { get throws { try message.message(6, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedDoubles.init) } }
    public var bytes: MILSpec.TensorValue.RepeatedBytes? { get throws { try message.message(7, of: Self.valueFields).map(MILSpec.TensorValue.RepeatedBytes.init) } }
    static let valueFields = [1, 2, 3, 4, 5, 6, 7]
    public enum OneOfValue: Sendable {
      case floats(MILSpec.TensorValue.RepeatedFloats)
      case ints(MILSpec.TensorValue.RepeatedInts)
      case bools(MILSpec.TensorValue.RepeatedBools)
      case strings(MILSpec.TensorValue.RepeatedStrings)
      case longInts(MILSpec.TensorValue.RepeatedLongInts)
      case doubles(MILSpec.TensorValue.RepeatedDoubles)
      case bytes(MILSpec.TensorValue.RepeatedBytes)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
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
    public var value: OneOfValue? {
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
    public struct RepeatedFloats: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var values: [Float] { get throws { try message.floats(1) } }
      public var valuesBytes: Bytes { get throws { try message.floatBytes(1) } }
    }
    /// `CoreML.Specification.MILSpec.TensorValue.RepeatedDoubles`
    public struct RepeatedDoubles: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var values: [Double] { get throws { try message.doubles(1) } }
      public var valuesBytes: Bytes { get throws { try message.doubleBytes(1) } }
    }
    /// `CoreML.Specification.MILSpec.TensorValue.RepeatedInts`
    public struct RepeatedInts: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var values: [Int32] { get throws { try message.int32s(1) } }
    }
    /// `CoreML.Specification.MILSpec.TensorValue.RepeatedLongInts`
    public struct RepeatedLongInts: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var values: [Int64] { get throws { try message.int64s(1) } }
    }
    /// `CoreML.Specification.MILSpec.TensorValue.RepeatedBools`
    public struct RepeatedBools: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var values: [Bool] { get throws { try message.bools(1) } }
    }
    /// `CoreML.Specification.MILSpec.TensorValue.RepeatedStrings`
    public struct RepeatedStrings: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var values: [String] { get throws { try message.strings(1) } }
    }
    /// `CoreML.Specification.MILSpec.TensorValue.RepeatedBytes`
    public struct RepeatedBytes: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var values: Bytes { get throws { try message.bytes(1) } }
    }
  }
  /// `CoreML.Specification.MILSpec.TupleValue`
  public struct TupleValue: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var values: Views<MILSpec.Value> { get throws { try message.views(1, MILSpec.Value.self) } }
  }
  /// `CoreML.Specification.MILSpec.ListValue`
  public struct ListValue: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var values: Views<MILSpec.Value> { get throws { try message.views(1, MILSpec.Value.self) } }
  }
  /// `CoreML.Specification.MILSpec.DictionaryValue`
  public struct DictionaryValue: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var values: Views<MILSpec.DictionaryValue.KeyValuePair> { get throws { try message.views(1, MILSpec.DictionaryValue.KeyValuePair.self) } }
    /// `CoreML.Specification.MILSpec.DictionaryValue.KeyValuePair`
    public struct KeyValuePair: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var key: MILSpec.Value? { get throws { try message.message(1).map(MILSpec.Value.init) } }
      public var value: MILSpec.Value? { get throws { try message.message(2).map(MILSpec.Value.init) } }
    }
  }
}
