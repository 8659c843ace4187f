// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func MILSpec_Program(_ view: MILSpec.Program) throws {
    scalar("version", try view.version)
    try map("functions", try view.functions, try view.functionsInOrder.count) { try MILSpec_Function($0) }
    scalar("docString", try view.docString)
    try map("attributes", try view.attributes, try view.attributesInOrder.count) { try MILSpec_Value($0) }
  }
  func MILSpec_Function(_ view: MILSpec.Function) throws {
    try each("inputs", try view.inputs) { try MILSpec_NamedValueType($0) }
    scalar("opset", try view.opset)
    try map("block_specializations", try view.blockSpecializations, try view.blockSpecializationsInOrder.count) { try MILSpec_Block($0) }
    try map("attributes", try view.attributes, try view.attributesInOrder.count) { try MILSpec_Value($0) }
  }
  func MILSpec_Block(_ view: MILSpec.Block) throws {
    try each("inputs", try view.inputs) { try MILSpec_NamedValueType($0) }
    list("outputs", try view.outputs)
    try each("operations", try view.operations) { try MILSpec_Operation($0) }
    try map("attributes", try view.attributes, try view.attributesInOrder.count) { try MILSpec_Value($0) }
  }
  func MILSpec_Argument(_ view: MILSpec.Argument) throws {
    try each("arguments", try view.arguments) { try MILSpec_Argument_Binding($0) }
  }
  func MILSpec_Argument_Binding(_ view: MILSpec.Argument.Binding) throws {
    member("name", try view.name)
    try one("value", try view.value) { try MILSpec_Value($0) }
    switch try view.binding {
    case .name?: oneOf("binding", "name")
    case .value?: oneOf("binding", "value")
    case nil: break
    }
  }
  func MILSpec_Operation(_ view: MILSpec.Operation) throws {
    scalar("type", try view.type)
    try map("inputs", try view.inputs, try view.inputsInOrder.count) { try MILSpec_Argument($0) }
    try each("outputs", try view.outputs) { try MILSpec_NamedValueType($0) }
    try each("blocks", try view.blocks) { try MILSpec_Block($0) }
    try map("attributes", try view.attributes, try view.attributesInOrder.count) { try MILSpec_Value($0) }
  }
  func MILSpec_NamedValueType(_ view: MILSpec.NamedValueType) throws {
    scalar("name", try view.name)
    try one("type", try view.type) { try MILSpec_ValueType($0) }
  }
  func MILSpec_ValueType(_ view: MILSpec.ValueType) throws {
    try one("tensorType", try view.tensorType) { try MILSpec_TensorType($0) }
    try one("listType", try view.listType) { try MILSpec_ListType($0) }
    try one("tupleType", try view.tupleType) { try MILSpec_TupleType($0) }
    try one("dictionaryType", try view.dictionaryType) { try MILSpec_DictionaryType($0) }
    try one("stateType", try view.stateType) { try MILSpec_StateType($0) }
    switch try view.type {
    case .tensorType?: oneOf("type", "tensorType")
    case .listType?: oneOf("type", "listType")
    case .tupleType?: oneOf("type", "tupleType")
    case .dictionaryType?: oneOf("type", "dictionaryType")
    case .stateType?: oneOf("type", "stateType")
    case nil: break
    }
  }
  func MILSpec_TensorType(_ view: MILSpec.TensorType) throws {
    scalar("dataType", try view.dataType.rawValue)
    scalar("rank", try view.rank)
    try each("dimensions", try view.dimensions) { try MILSpec_Dimension($0) }
    try map("attributes", try view.attributes, try view.attributesInOrder.count) { try MILSpec_Value($0) }
  }
  func MILSpec_TupleType(_ view: MILSpec.TupleType) throws {
    try each("types", try view.types) { try MILSpec_ValueType($0) }
  }
  func MILSpec_ListType(_ view: MILSpec.ListType) throws {
    try one("type", try view.type) { try MILSpec_ValueType($0) }
    try one("length", try view.length) { try MILSpec_Dimension($0) }
  }
  func MILSpec_DictionaryType(_ view: MILSpec.DictionaryType) throws {
    try one("keyType", try view.keyType) { try MILSpec_ValueType($0) }
    try one("valueType", try view.valueType) { try MILSpec_ValueType($0) }
  }
  func MILSpec_StateType(_ view: MILSpec.StateType) throws {
    try one("wrappedType", try view.wrappedType) { try MILSpec_ValueType($0) }
  }
  func MILSpec_Dimension(_ view: MILSpec.Dimension) throws {
    try one("constant", try view.constant) { try MILSpec_Dimension_ConstantDimension($0) }
    try one("unknown", try view.unknown) { try MILSpec_Dimension_UnknownDimension($0) }
    switch try view.dimension {
    case .constant?: oneOf("dimension", "constant")
    case .unknown?: oneOf("dimension", "unknown")
    case nil: break
    }
  }
  func MILSpec_Dimension_ConstantDimension(_ view: MILSpec.Dimension.ConstantDimension) throws {
    scalar("size", try view.size)
  }
  func MILSpec_Dimension_UnknownDimension(_ view: MILSpec.Dimension.UnknownDimension) throws {
    scalar("variadic", try view.variadic)
  }
  func MILSpec_Value(_ view: MILSpec.Value) throws {
    scalar("docString", try view.docString)
    try one("type", try view.type) { try MILSpec_ValueType($0) }
    try one("immediateValue", try view.immediateValue) { try MILSpec_Value_ImmediateValue($0) }
    try one("blobFileValue", try view.blobFileValue) { try MILSpec_Value_BlobFileValue($0) }
    switch try view.value {
    case .immediateValue?: oneOf("value", "immediateValue")
    case .blobFileValue?: oneOf("value", "blobFileValue")
    case nil: break
    }
  }
  func MILSpec_Value_ImmediateValue(_ view: MILSpec.Value.ImmediateValue) throws {
    try one("tensor", try view.tensor) { try MILSpec_TensorValue($0) }
    try one("tuple", try view.tuple) { try MILSpec_TupleValue($0) }
    try one("list", try view.list) { try MILSpec_ListValue($0) }
    try one("dictionary", try view.dictionary) { try MILSpec_DictionaryValue($0) }
    switch try view.value {
    case .tensor?: oneOf("value", "tensor")
    case .tuple?: oneOf("value", "tuple")
    case .list?: oneOf("value", "list")
    case .dictionary?: oneOf("value", "dictionary")
    case nil: break
    }
  }
  func MILSpec_Value_BlobFileValue(_ view: MILSpec.Value.BlobFileValue) throws {
    scalar("fileName", try view.fileName)
    scalar("offset", try view.offset)
  }
  func MILSpec_TensorValue(_ view: MILSpec.TensorValue) throws {
    try one("floats", try view.floats) { try MILSpec_TensorValue_RepeatedFloats($0) }
    try one("ints", try view.ints) { try MILSpec_TensorValue_RepeatedInts($0) }
    try one("bools", try view.bools) { try MILSpec_TensorValue_RepeatedBools($0) }
    try one("strings", try view.strings) { try MILSpec_TensorValue_RepeatedStrings($0) }
    try one("longInts", try view.longInts) { try MILSpec_TensorValue_RepeatedLongInts($0) }
    try one("doubles", try view.doubles) { try MILSpec_TensorValue_RepeatedDoubles($0) }
    try one("bytes", try view.bytes) { try MILSpec_TensorValue_RepeatedBytes($0) }
    switch try view.value {
    case .floats?: oneOf("value", "floats")
    case .ints?: oneOf("value", "ints")
    case .bools?: oneOf("value", "bools")
    case .strings?: oneOf("value", "strings")
    case .longInts?: oneOf("value", "longInts")
    case .doubles?: oneOf("value", "doubles")
    case .bytes?: oneOf("value", "bytes")
    case nil: break
    }
  }
  func MILSpec_TensorValue_RepeatedFloats(_ view: MILSpec.TensorValue.RepeatedFloats) throws {
    list("values", try view.values, try view.valuesBytes)
  }
  func MILSpec_TensorValue_RepeatedDoubles(_ view: MILSpec.TensorValue.RepeatedDoubles) throws {
    list("values", try view.values, try view.valuesBytes)
  }
  func MILSpec_TensorValue_RepeatedInts(_ view: MILSpec.TensorValue.RepeatedInts) throws {
    list("values", try view.values)
  }
  func MILSpec_TensorValue_RepeatedLongInts(_ view: MILSpec.TensorValue.RepeatedLongInts) throws {
    list("values", try view.values)
  }
  func MILSpec_TensorValue_RepeatedBools(_ view: MILSpec.TensorValue.RepeatedBools) throws {
    list("values", try view.values)
  }
  func MILSpec_TensorValue_RepeatedStrings(_ view: MILSpec.TensorValue.RepeatedStrings) throws {
    list("values", try view.values)
  }
  func MILSpec_TensorValue_RepeatedBytes(_ view: MILSpec.TensorValue.RepeatedBytes) throws {
    scalar("values", try view.values)
  }
  func MILSpec_TupleValue(_ view: MILSpec.TupleValue) throws {
    try each("values", try view.values) { try MILSpec_Value($0) }
  }
  func MILSpec_ListValue(_ view: MILSpec.ListValue) throws {
    try each("values", try view.values) { try MILSpec_Value($0) }
  }
  func MILSpec_DictionaryValue(_ view: MILSpec.DictionaryValue) throws {
    try each("values", try view.values) { try MILSpec_DictionaryValue_KeyValuePair($0) }
  }
  func MILSpec_DictionaryValue_KeyValuePair(_ view: MILSpec.DictionaryValue.KeyValuePair) throws {
    try one("key", try view.key) { try MILSpec_Value($0) }
    try one("value", try view.value) { try MILSpec_Value($0) }
  }
}
