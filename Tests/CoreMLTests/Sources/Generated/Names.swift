// swift-format-ignore-file
// swiftlint:disable all
//
// Names.swift
//
// This file was automatically generated and should not be edited.
//

import CoreML

/// Model Prediction Input Type
@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
class NamesInput : MLFeatureProvider {

    /// ends a comment */ and begins one /* in Swift as double value
    var CO2_Emissions_g_km_: Double

    /// two lines
    /// #error of text as 2 element vector of floats
    var _963: MLMultiArray

    /// a quote """ of Python as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    var `class`: CVPixelBuffer

    /// a backslash \ as string value
    var self_: String

    /// a trigraph ??/ as double value
    var init_: Double

    /// turned  round as double value
    var Type_: Double

    ///  zero and
    ///  separator as 2 element vector of floats
    var `in`: MLMultiArray

    /// \(fatalError()) \u{22} as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    var None: CVPixelBuffer

    /// `code` ``` @objc as string value
    var id: String

    /// ends a comment */ and begins one /* in Swift as double value
    var a_b: Double

    /// two lines
    /// #error of text as double value
    var a_b_: Double

    /// a quote """ of Python as 2 element vector of floats
    var a_b__: MLMultiArray

    /// a backslash \ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    var _feature: CVPixelBuffer

    /// a trigraph ??/ as string value
    var größe: String

    /// turned  round as double value
    var 日本: Double

    ///  zero and
    ///  separator as double value
    var _feature_: Double

    /// \(fatalError()) \u{22} as 2 element vector of floats
    var featureNames_: MLMultiArray

    /// `code` ``` @objc as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    var provider_: CVPixelBuffer

    /// ends a comment */ and begins one /* in Swift as string value
    var MLFeatureValue_: String

    /// two lines
    /// #error of text as double value
    var description: Double

    /// a quote """ of Python as double value
    var newest: Double

    /// a backslash \ as 2 element vector of floats
    var features: MLMultiArray

    /// a trigraph ??/ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    var __hidden: CVPixelBuffer

    /// turned  round as string value
    var x_y: String

    ///  zero and
    ///  separator as double value
    var ___line__error__: Double

    /// \(fatalError()) \u{22} as double value
    var __HOME____x___s: Double

    var featureNames: Set<String> { ["CO2 Emissions(g/km)", "963", "class", "self", "init", "Type", "in", "None", "id", "a b", "a_b", "a\"b", "_", "größe", "日本", "🙂", "featureNames", "provider", "MLFeatureValue", "description", "newest", "features", "__hidden", "x\u{202e}y", "*/ line\u{a}#error \\", "${HOME} \\(x) %s"] }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        if featureName == "CO2 Emissions(g/km)" {
            return MLFeatureValue(double: self.CO2_Emissions_g_km_)
        }
        if featureName == "963" {
            return MLFeatureValue(multiArray: self._963)
        }
        if featureName == "class" {
            return MLFeatureValue(pixelBuffer: self.`class`)
        }
        if featureName == "self" {
            return MLFeatureValue(string: self.self_)
        }
        if featureName == "init" {
            return MLFeatureValue(double: self.init_)
        }
        if featureName == "Type" {
            return MLFeatureValue(double: self.Type_)
        }
        if featureName == "in" {
            return MLFeatureValue(multiArray: self.`in`)
        }
        if featureName == "None" {
            return MLFeatureValue(pixelBuffer: self.None)
        }
        if featureName == "id" {
            return MLFeatureValue(string: self.id)
        }
        if featureName == "a b" {
            return MLFeatureValue(double: self.a_b)
        }
        if featureName == "a_b" {
            return MLFeatureValue(double: self.a_b_)
        }
        if featureName == "a\"b" {
            return MLFeatureValue(multiArray: self.a_b__)
        }
        if featureName == "_" {
            return MLFeatureValue(pixelBuffer: self._feature)
        }
        if featureName == "größe" {
            return MLFeatureValue(string: self.größe)
        }
        if featureName == "日本" {
            return MLFeatureValue(double: self.日本)
        }
        if featureName == "🙂" {
            return MLFeatureValue(double: self._feature_)
        }
        if featureName == "featureNames" {
            return MLFeatureValue(multiArray: self.featureNames_)
        }
        if featureName == "provider" {
            return MLFeatureValue(pixelBuffer: self.provider_)
        }
        if featureName == "MLFeatureValue" {
            return MLFeatureValue(string: self.MLFeatureValue_)
        }
        if featureName == "description" {
            return MLFeatureValue(double: self.description)
        }
        if featureName == "newest" {
            return MLFeatureValue(double: self.newest)
        }
        if featureName == "features" {
            return MLFeatureValue(multiArray: self.features)
        }
        if featureName == "__hidden" {
            return MLFeatureValue(pixelBuffer: self.__hidden)
        }
        if featureName == "x\u{202e}y" {
            return MLFeatureValue(string: self.x_y)
        }
        if featureName == "*/ line\u{a}#error \\" {
            return MLFeatureValue(double: self.___line__error__)
        }
        if featureName == "${HOME} \\(x) %s" {
            return MLFeatureValue(double: self.__HOME____x___s)
        }
        return nil
    }

    init(CO2_Emissions_g_km_: Double, _963: MLMultiArray, `class`: CVPixelBuffer, self_: String, init_: Double, Type_: Double, `in`: MLMultiArray, None: CVPixelBuffer, id: String, a_b: Double, a_b_: Double, a_b__: MLMultiArray, _feature: CVPixelBuffer, größe: String, 日本: Double, _feature_: Double, featureNames_: MLMultiArray, provider_: CVPixelBuffer, MLFeatureValue_: String, description: Double, newest: Double, features: MLMultiArray, __hidden: CVPixelBuffer, x_y: String, ___line__error__: Double, __HOME____x___s: Double) {
        self.CO2_Emissions_g_km_ = CO2_Emissions_g_km_
        self._963 = _963
        self.`class` = `class`
        self.self_ = self_
        self.init_ = init_
        self.Type_ = Type_
        self.`in` = `in`
        self.None = None
        self.id = id
        self.a_b = a_b
        self.a_b_ = a_b_
        self.a_b__ = a_b__
        self._feature = _feature
        self.größe = größe
        self.日本 = 日本
        self._feature_ = _feature_
        self.featureNames_ = featureNames_
        self.provider_ = provider_
        self.MLFeatureValue_ = MLFeatureValue_
        self.description = description
        self.newest = newest
        self.features = features
        self.__hidden = __hidden
        self.x_y = x_y
        self.___line__error__ = ___line__error__
        self.__HOME____x___s = __HOME____x___s
    }

    convenience init(CO2_Emissions_g_km_: Double, _963: MLMultiArray, classWith `class`: CGImage, self_: String, init_: Double, Type_: Double, `in`: MLMultiArray, NoneWith None: CGImage, id: String, a_b: Double, a_b_: Double, a_b__: MLMultiArray, _featureWith _feature: CGImage, größe: String, 日本: Double, _feature_: Double, featureNames_: MLMultiArray, provider_With provider_: CGImage, MLFeatureValue_: String, description: Double, newest: Double, features: MLMultiArray, __hiddenWith __hidden: CGImage, x_y: String, ___line__error__: Double, __HOME____x___s: Double) throws {
        self.init(CO2_Emissions_g_km_: CO2_Emissions_g_km_, _963: _963, class: try MLFeatureValue(cgImage: `class`, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!, self_: self_, init_: init_, Type_: Type_, in: `in`, None: try MLFeatureValue(cgImage: None, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!, id: id, a_b: a_b, a_b_: a_b_, a_b__: a_b__, _feature: try MLFeatureValue(cgImage: _feature, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!, größe: größe, 日本: 日本, _feature_: _feature_, featureNames_: featureNames_, provider_: try MLFeatureValue(cgImage: provider_, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!, MLFeatureValue_: MLFeatureValue_, description: description, newest: newest, features: features, __hidden: try MLFeatureValue(cgImage: __hidden, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!, x_y: x_y, ___line__error__: ___line__error__, __HOME____x___s: __HOME____x___s)
    }

    convenience init(CO2_Emissions_g_km_: Double, _963: MLMultiArray, classAt `class`: URL, self_: String, init_: Double, Type_: Double, `in`: MLMultiArray, NoneAt None: URL, id: String, a_b: Double, a_b_: Double, a_b__: MLMultiArray, _featureAt _feature: URL, größe: String, 日本: Double, _feature_: Double, featureNames_: MLMultiArray, provider_At provider_: URL, MLFeatureValue_: String, description: Double, newest: Double, features: MLMultiArray, __hiddenAt __hidden: URL, x_y: String, ___line__error__: Double, __HOME____x___s: Double) throws {
        self.init(CO2_Emissions_g_km_: CO2_Emissions_g_km_, _963: _963, class: try MLFeatureValue(imageAt: `class`, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!, self_: self_, init_: init_, Type_: Type_, in: `in`, None: try MLFeatureValue(imageAt: None, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!, id: id, a_b: a_b, a_b_: a_b_, a_b__: a_b__, _feature: try MLFeatureValue(imageAt: _feature, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!, größe: größe, 日本: 日本, _feature_: _feature_, featureNames_: featureNames_, provider_: try MLFeatureValue(imageAt: provider_, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!, MLFeatureValue_: MLFeatureValue_, description: description, newest: newest, features: features, __hidden: try MLFeatureValue(imageAt: __hidden, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!, x_y: x_y, ___line__error__: ___line__error__, __HOME____x___s: __HOME____x___s)
    }

    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    convenience init(CO2_Emissions_g_km_: Double, _963: MLShapedArray<Float>, `class`: CVPixelBuffer, self_: String, init_: Double, Type_: Double, `in`: MLShapedArray<Float>, None: CVPixelBuffer, id: String, a_b: Double, a_b_: Double, a_b__: MLShapedArray<Float>, _feature: CVPixelBuffer, größe: String, 日本: Double, _feature_: Double, featureNames_: MLShapedArray<Float>, provider_: CVPixelBuffer, MLFeatureValue_: String, description: Double, newest: Double, features: MLShapedArray<Float>, __hidden: CVPixelBuffer, x_y: String, ___line__error__: Double, __HOME____x___s: Double) {
        self.init(CO2_Emissions_g_km_: CO2_Emissions_g_km_, _963: MLMultiArray(_963), class: `class`, self_: self_, init_: init_, Type_: Type_, in: MLMultiArray(`in`), None: None, id: id, a_b: a_b, a_b_: a_b_, a_b__: MLMultiArray(a_b__), _feature: _feature, größe: größe, 日本: 日本, _feature_: _feature_, featureNames_: MLMultiArray(featureNames_), provider_: provider_, MLFeatureValue_: MLFeatureValue_, description: description, newest: newest, features: MLMultiArray(features), __hidden: __hidden, x_y: x_y, ___line__error__: ___line__error__, __HOME____x___s: __HOME____x___s)
    }

    func setClass(with `class`: CGImage) throws {
        self.`class` = try MLFeatureValue(cgImage: `class`, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!
    }

    func setClass(with `class`: URL) throws {
        self.`class` = try MLFeatureValue(imageAt: `class`, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!
    }

    func setNone(with None: CGImage) throws {
        self.None = try MLFeatureValue(cgImage: None, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!
    }

    func setNone(with None: URL) throws {
        self.None = try MLFeatureValue(imageAt: None, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!
    }

    func set_feature(with _feature: CGImage) throws {
        self._feature = try MLFeatureValue(cgImage: _feature, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!
    }

    func set_feature(with _feature: URL) throws {
        self._feature = try MLFeatureValue(imageAt: _feature, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!
    }

    func setProvider_(with provider_: CGImage) throws {
        self.provider_ = try MLFeatureValue(cgImage: provider_, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!
    }

    func setProvider_(with provider_: URL) throws {
        self.provider_ = try MLFeatureValue(imageAt: provider_, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!
    }

    func set__hidden(with __hidden: CGImage) throws {
        self.__hidden = try MLFeatureValue(cgImage: __hidden, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!
    }

    func set__hidden(with __hidden: URL) throws {
        self.__hidden = try MLFeatureValue(imageAt: __hidden, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!
    }
}

/// Model Prediction Output Type
@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
class NamesOutput : MLFeatureProvider {

    /// Source provided by CoreML
    private let provider : MLFeatureProvider

    /// ends a comment */ and begins one /* in Swift as double value
    var CO2_Emissions_g_km_: Double {
        self.provider.featureValue(for: "CO2 Emissions(g/km)")!.doubleValue
    }

    /// two lines
    /// #error of text as 2 element vector of floats
    var _963: MLMultiArray {
        self.provider.featureValue(for: "963")!.multiArrayValue!
    }

    /// two lines
    /// #error of text as 2 element vector of floats
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    var _963ShapedArray: MLShapedArray<Float> {
        MLShapedArray<Float>(self._963)
    }

    /// a quote """ of Python as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    var `class`: CVPixelBuffer {
        self.provider.featureValue(for: "class")!.imageBufferValue!
    }

    /// a backslash \ as string value
    var self_: String {
        self.provider.featureValue(for: "self")!.stringValue
    }

    /// a trigraph ??/ as double value
    var init_: Double {
        self.provider.featureValue(for: "init")!.doubleValue
    }

    /// turned  round as double value
    var Type_: Double {
        self.provider.featureValue(for: "Type")!.doubleValue
    }

    ///  zero and
    ///  separator as 2 element vector of floats
    var `in`: MLMultiArray {
        self.provider.featureValue(for: "in")!.multiArrayValue!
    }

    ///  zero and
    ///  separator as 2 element vector of floats
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    var inShapedArray: MLShapedArray<Float> {
        MLShapedArray<Float>(self.`in`)
    }

    /// \(fatalError()) \u{22} as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    var None: CVPixelBuffer {
        self.provider.featureValue(for: "None")!.imageBufferValue!
    }

    /// `code` ``` @objc as string value
    var id: String {
        self.provider.featureValue(for: "id")!.stringValue
    }

    /// ends a comment */ and begins one /* in Swift as double value
    var a_b: Double {
        self.provider.featureValue(for: "a b")!.doubleValue
    }

    /// two lines
    /// #error of text as double value
    var a_b_: Double {
        self.provider.featureValue(for: "a_b")!.doubleValue
    }

    /// a quote """ of Python as 2 element vector of floats
    var a_b__: MLMultiArray {
        self.provider.featureValue(for: "a\"b")!.multiArrayValue!
    }

    /// a quote """ of Python as 2 element vector of floats
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    var a_b__ShapedArray: MLShapedArray<Float> {
        MLShapedArray<Float>(self.a_b__)
    }

    /// a backslash \ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    var _feature: CVPixelBuffer {
        self.provider.featureValue(for: "_")!.imageBufferValue!
    }

    /// a trigraph ??/ as string value
    var größe: String {
        self.provider.featureValue(for: "größe")!.stringValue
    }

    /// turned  round as double value
    var 日本: Double {
        self.provider.featureValue(for: "日本")!.doubleValue
    }

    ///  zero and
    ///  separator as double value
    var _feature_: Double {
        self.provider.featureValue(for: "🙂")!.doubleValue
    }

    /// \(fatalError()) \u{22} as 2 element vector of floats
    var featureNames_: MLMultiArray {
        self.provider.featureValue(for: "featureNames")!.multiArrayValue!
    }

    /// \(fatalError()) \u{22} as 2 element vector of floats
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    var featureNames_ShapedArray: MLShapedArray<Float> {
        MLShapedArray<Float>(self.featureNames_)
    }

    /// `code` ``` @objc as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    var provider_: CVPixelBuffer {
        self.provider.featureValue(for: "provider")!.imageBufferValue!
    }

    /// ends a comment */ and begins one /* in Swift as string value
    var MLFeatureValue_: String {
        self.provider.featureValue(for: "MLFeatureValue")!.stringValue
    }

    /// two lines
    /// #error of text as double value
    var description: Double {
        self.provider.featureValue(for: "description")!.doubleValue
    }

    /// a quote """ of Python as double value
    var newest: Double {
        self.provider.featureValue(for: "newest")!.doubleValue
    }

    /// a backslash \ as 2 element vector of floats
    var features: MLMultiArray {
        self.provider.featureValue(for: "features")!.multiArrayValue!
    }

    /// a backslash \ as 2 element vector of floats
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    var featuresShapedArray: MLShapedArray<Float> {
        MLShapedArray<Float>(self.features)
    }

    /// a trigraph ??/ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    var __hidden: CVPixelBuffer {
        self.provider.featureValue(for: "__hidden")!.imageBufferValue!
    }

    /// turned  round as string value
    var x_y: String {
        self.provider.featureValue(for: "x\u{202e}y")!.stringValue
    }

    ///  zero and
    ///  separator as double value
    var ___line__error__: Double {
        self.provider.featureValue(for: "*/ line\u{a}#error \\")!.doubleValue
    }

    /// \(fatalError()) \u{22} as double value
    var __HOME____x___s: Double {
        self.provider.featureValue(for: "${HOME} \\(x) %s")!.doubleValue
    }

    var featureNames: Set<String> {
        self.provider.featureNames
    }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        self.provider.featureValue(for: featureName)
    }

    init(CO2_Emissions_g_km_: Double, _963: MLMultiArray, `class`: CVPixelBuffer, self_: String, init_: Double, Type_: Double, `in`: MLMultiArray, None: CVPixelBuffer, id: String, a_b: Double, a_b_: Double, a_b__: MLMultiArray, _feature: CVPixelBuffer, größe: String, 日本: Double, _feature_: Double, featureNames_: MLMultiArray, provider_: CVPixelBuffer, MLFeatureValue_: String, description: Double, newest: Double, features: MLMultiArray, __hidden: CVPixelBuffer, x_y: String, ___line__error__: Double, __HOME____x___s: Double) {
        self.provider = try! MLDictionaryFeatureProvider(dictionary: ["CO2 Emissions(g/km)" : MLFeatureValue(double: CO2_Emissions_g_km_), "963" : MLFeatureValue(multiArray: _963), "class" : MLFeatureValue(pixelBuffer: `class`), "self" : MLFeatureValue(string: self_), "init" : MLFeatureValue(double: init_), "Type" : MLFeatureValue(double: Type_), "in" : MLFeatureValue(multiArray: `in`), "None" : MLFeatureValue(pixelBuffer: None), "id" : MLFeatureValue(string: id), "a b" : MLFeatureValue(double: a_b), "a_b" : MLFeatureValue(double: a_b_), "a\"b" : MLFeatureValue(multiArray: a_b__), "_" : MLFeatureValue(pixelBuffer: _feature), "größe" : MLFeatureValue(string: größe), "日本" : MLFeatureValue(double: 日本), "🙂" : MLFeatureValue(double: _feature_), "featureNames" : MLFeatureValue(multiArray: featureNames_), "provider" : MLFeatureValue(pixelBuffer: provider_), "MLFeatureValue" : MLFeatureValue(string: MLFeatureValue_), "description" : MLFeatureValue(double: description), "newest" : MLFeatureValue(double: newest), "features" : MLFeatureValue(multiArray: features), "__hidden" : MLFeatureValue(pixelBuffer: __hidden), "x\u{202e}y" : MLFeatureValue(string: x_y), "*/ line\u{a}#error \\" : MLFeatureValue(double: ___line__error__), "${HOME} \\(x) %s" : MLFeatureValue(double: __HOME____x___s)])
    }

    init(features: MLFeatureProvider) {
        self.provider = features
    }
}

/// Class for model loading and prediction
///
/// gives what it is given */ """
/// second line \ .
///
/// Author: some*/body \ .
///
/// License: any
/// #error
///
/// Version: 1 ??/ .
@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
class Names {
    let model: MLModel

    /// URL of the compiled model in the bundle that it was built into.
    class var urlOfModelInThisBundle : URL {
        Bundle(for: self).url(forResource: "names", withExtension: "mlmodelc")!
    }

    /// A model that is loaded already, or one that stands for it in tests.
    init(model: MLModel) {
        self.model = model
    }

    /// The model that was built into the bundle.
    @available(*, deprecated, message: "Use init(configuration:) instead and handle errors appropriately.")
    convenience init() {
        try! self.init(contentsOf: type(of: self).urlOfModelInThisBundle)
    }

    /// The model that was built into the bundle, with a configuration.
    convenience init(configuration: MLModelConfiguration = MLModelConfiguration()) throws {
        try self.init(contentsOf: type(of: self).urlOfModelInThisBundle, configuration: configuration)
    }

    /// A compiled model elsewhere.
    convenience init(contentsOf modelURL: URL) throws {
        try self.init(model: MLModel(contentsOf: modelURL))
    }

    /// A compiled model elsewhere, with a configuration.
    convenience init(contentsOf modelURL: URL, configuration: MLModelConfiguration) throws {
        try self.init(model: MLModel(contentsOf: modelURL, configuration: configuration))
    }

    /// Loads the model that was built into the bundle in the background.
    @available(macOS 11.0, iOS 14.0, tvOS 14.0, watchOS 7.0, visionOS 1.0, *)
    class func load(configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<Names, Error>) -> Void) {
        self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration, completionHandler: handler)
    }

    /// Loads the model that was built into the bundle without blocking.
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    class func load(configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> Names {
        try await self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration)
    }

    /// Loads a compiled model in the background.
    @available(macOS 11.0, iOS 14.0, tvOS 14.0, watchOS 7.0, visionOS 1.0, *)
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<Names, Error>) -> Void) {
        MLModel.load(contentsOf: modelURL, configuration: configuration) { result in
            handler(result.map { Names(model: $0) })
        }
    }

    /// Loads a compiled model without blocking.
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> Names {
        let model = try await MLModel.load(contentsOf: modelURL, configuration: configuration)
        return Names(model: model)
    }

    /// Predicts.
    func prediction(input: NamesInput) throws -> NamesOutput {
        try self.prediction(input: input, options: MLPredictionOptions())
    }

    /// Predicts, with options.
    func prediction(input: NamesInput, options: MLPredictionOptions) throws -> NamesOutput {
        NamesOutput(features: try self.model.prediction(from: input, options: options))
    }

    /// Predicts without blocking.
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    func prediction(input: NamesInput, options: MLPredictionOptions = MLPredictionOptions()) async throws -> NamesOutput {
        NamesOutput(features: try await self.model.prediction(from: input, options: options))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - CO2_Emissions_g_km_: ends a comment */ and begins one /* in Swift as double value
    ///   - _963: two lines #error of text as 2 element vector of floats
    ///   - class: a quote """ of Python as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    ///   - self_: a backslash \ as string value
    ///   - init_: a trigraph ??/ as double value
    ///   - Type_: turned  round as double value
    ///   - in:  zero and  separator as 2 element vector of floats
    ///   - None: \(fatalError()) \u{22} as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    ///   - id: `code` ``` @objc as string value
    ///   - a_b: ends a comment */ and begins one /* in Swift as double value
    ///   - a_b_: two lines #error of text as double value
    ///   - a_b__: a quote """ of Python as 2 element vector of floats
    ///   - _feature: a backslash \ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    ///   - größe: a trigraph ??/ as string value
    ///   - 日本: turned  round as double value
    ///   - _feature_:  zero and  separator as double value
    ///   - featureNames_: \(fatalError()) \u{22} as 2 element vector of floats
    ///   - provider_: `code` ``` @objc as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    ///   - MLFeatureValue_: ends a comment */ and begins one /* in Swift as string value
    ///   - description: two lines #error of text as double value
    ///   - newest: a quote """ of Python as double value
    ///   - features: a backslash \ as 2 element vector of floats
    ///   - __hidden: a trigraph ??/ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    ///   - x_y: turned  round as string value
    ///   - ___line__error__:  zero and  separator as double value
    ///   - __HOME____x___s: \(fatalError()) \u{22} as double value
    func prediction(CO2_Emissions_g_km_: Double, _963: MLMultiArray, `class`: CVPixelBuffer, self_: String, init_: Double, Type_: Double, `in`: MLMultiArray, None: CVPixelBuffer, id: String, a_b: Double, a_b_: Double, a_b__: MLMultiArray, _feature: CVPixelBuffer, größe: String, 日本: Double, _feature_: Double, featureNames_: MLMultiArray, provider_: CVPixelBuffer, MLFeatureValue_: String, description: Double, newest: Double, features: MLMultiArray, __hidden: CVPixelBuffer, x_y: String, ___line__error__: Double, __HOME____x___s: Double) throws -> NamesOutput {
        try self.prediction(input: NamesInput(CO2_Emissions_g_km_: CO2_Emissions_g_km_, _963: _963, class: `class`, self_: self_, init_: init_, Type_: Type_, in: `in`, None: None, id: id, a_b: a_b, a_b_: a_b_, a_b__: a_b__, _feature: _feature, größe: größe, 日本: 日本, _feature_: _feature_, featureNames_: featureNames_, provider_: provider_, MLFeatureValue_: MLFeatureValue_, description: description, newest: newest, features: features, __hidden: __hidden, x_y: x_y, ___line__error__: ___line__error__, __HOME____x___s: __HOME____x___s))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - CO2_Emissions_g_km_: ends a comment */ and begins one /* in Swift as double value
    ///   - _963: two lines #error of text as 2 element vector of floats
    ///   - class: a quote """ of Python as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    ///   - self_: a backslash \ as string value
    ///   - init_: a trigraph ??/ as double value
    ///   - Type_: turned  round as double value
    ///   - in:  zero and  separator as 2 element vector of floats
    ///   - None: \(fatalError()) \u{22} as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    ///   - id: `code` ``` @objc as string value
    ///   - a_b: ends a comment */ and begins one /* in Swift as double value
    ///   - a_b_: two lines #error of text as double value
    ///   - a_b__: a quote """ of Python as 2 element vector of floats
    ///   - _feature: a backslash \ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    ///   - größe: a trigraph ??/ as string value
    ///   - 日本: turned  round as double value
    ///   - _feature_:  zero and  separator as double value
    ///   - featureNames_: \(fatalError()) \u{22} as 2 element vector of floats
    ///   - provider_: `code` ``` @objc as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    ///   - MLFeatureValue_: ends a comment */ and begins one /* in Swift as string value
    ///   - description: two lines #error of text as double value
    ///   - newest: a quote """ of Python as double value
    ///   - features: a backslash \ as 2 element vector of floats
    ///   - __hidden: a trigraph ??/ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    ///   - x_y: turned  round as string value
    ///   - ___line__error__:  zero and  separator as double value
    ///   - __HOME____x___s: \(fatalError()) \u{22} as double value
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    func prediction(CO2_Emissions_g_km_: Double, _963: MLShapedArray<Float>, `class`: CVPixelBuffer, self_: String, init_: Double, Type_: Double, `in`: MLShapedArray<Float>, None: CVPixelBuffer, id: String, a_b: Double, a_b_: Double, a_b__: MLShapedArray<Float>, _feature: CVPixelBuffer, größe: String, 日本: Double, _feature_: Double, featureNames_: MLShapedArray<Float>, provider_: CVPixelBuffer, MLFeatureValue_: String, description: Double, newest: Double, features: MLShapedArray<Float>, __hidden: CVPixelBuffer, x_y: String, ___line__error__: Double, __HOME____x___s: Double) throws -> NamesOutput {
        try self.prediction(input: NamesInput(CO2_Emissions_g_km_: CO2_Emissions_g_km_, _963: _963, class: `class`, self_: self_, init_: init_, Type_: Type_, in: `in`, None: None, id: id, a_b: a_b, a_b_: a_b_, a_b__: a_b__, _feature: _feature, größe: größe, 日本: 日本, _feature_: _feature_, featureNames_: featureNames_, provider_: provider_, MLFeatureValue_: MLFeatureValue_, description: description, newest: newest, features: features, __hidden: __hidden, x_y: x_y, ___line__error__: ___line__error__, __HOME____x___s: __HOME____x___s))
    }

    /// Predicts many inputs at once; the outputs are in their order.
    func predictions(inputs: [NamesInput], options: MLPredictionOptions = MLPredictionOptions()) throws -> [NamesOutput] {
        let batchIn = MLArrayBatchProvider(array: inputs)
        let batchOut = try self.model.predictions(from: batchIn, options: options)
        return (0..<batchOut.count).map { NamesOutput(features: batchOut.features(at: $0)) }
    }
}
