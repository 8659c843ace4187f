//
// functions.h
//
// This file was automatically generated and should not be edited.
//

#import <Foundation/Foundation.h>
#import <CoreML/CoreML.h>
#include <stdint.h>

NS_ASSUME_NONNULL_BEGIN

/// Model Prediction Input Type
API_AVAILABLE(macos(15.0), ios(18.0), tvos(18.0), watchos(11.0), visionos(2.0)) __attribute__((visibility("hidden")))
@interface functionsInput : NSObject<MLFeatureProvider>

/// x as 3 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *x;

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithX:(MLMultiArray *)x NS_DESIGNATED_INITIALIZER;

@end

/// Model Prediction Output Type
API_AVAILABLE(macos(15.0), ios(18.0), tvos(18.0), watchos(11.0), visionos(2.0)) __attribute__((visibility("hidden")))
@interface functionsOutput : NSObject<MLFeatureProvider>

/// y as 3 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *y;

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithY:(MLMultiArray *)y NS_DESIGNATED_INITIALIZER;

@end

/// Class for model loading and prediction
API_AVAILABLE(macos(15.0), ios(18.0), tvos(18.0), watchos(11.0), visionos(2.0)) __attribute__((visibility("hidden")))
@interface functions : NSObject
@property (readonly, nonatomic, nullable) MLModel * model;

/// URL of the compiled model in the bundle that it was built into.
+ (nullable NSURL *)URLOfModelInThisBundle;

/// A model that is loaded already.
- (instancetype)initWithMLModel:(MLModel *)model NS_DESIGNATED_INITIALIZER;

/// The model that was built into the bundle.
- (nullable instancetype)init;

/// The model that was built into the bundle, with a configuration.
- (nullable instancetype)initWithConfiguration:(MLModelConfiguration *)configuration error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// A compiled model elsewhere.
- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// A compiled model elsewhere, with a configuration.
- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Loads the model that was built into the bundle in the background.
+ (void)loadWithConfiguration:(MLModelConfiguration *)configuration completionHandler:(void (^)(functions * _Nullable model, NSError * _Nullable error))handler;

/// Loads a compiled model in the background.
+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration completionHandler:(void (^)(functions * _Nullable model, NSError * _Nullable error))handler;

/// Predicts.
- (nullable functionsOutput *)predictionFromFeatures:(functionsInput *)input error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts, with options.
- (nullable functionsOutput *)predictionFromFeatures:(functionsInput *)input options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts.
- (nullable functionsOutput *)predictionFromX:(MLMultiArray *)x error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts many inputs at once; the outputs are in their order.
- (nullable NSArray<functionsOutput *> *)predictionsFromInputs:(NSArray<functionsInput *> *)inputArray options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error;

@end

/// Model Prediction Input Type
API_AVAILABLE(macos(15.0), ios(18.0), tvos(18.0), watchos(11.0), visionos(2.0)) __attribute__((visibility("hidden")))
@interface functions_half_lifeInput : NSObject<MLFeatureProvider>

/// x as 3 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *x;

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithX:(MLMultiArray *)x NS_DESIGNATED_INITIALIZER;

@end

/// Model Prediction Output Type
API_AVAILABLE(macos(15.0), ios(18.0), tvos(18.0), watchos(11.0), visionos(2.0)) __attribute__((visibility("hidden")))
@interface functions_half_lifeOutput : NSObject<MLFeatureProvider>

/// y as 3 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *y;

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithY:(MLMultiArray *)y NS_DESIGNATED_INITIALIZER;

@end

/// Class for model loading and prediction
API_AVAILABLE(macos(15.0), ios(18.0), tvos(18.0), watchos(11.0), visionos(2.0)) __attribute__((visibility("hidden")))
@interface functions_half_life : NSObject
@property (readonly, nonatomic, nullable) MLModel * model;

/// URL of the compiled model in the bundle that it was built into.
+ (nullable NSURL *)URLOfModelInThisBundle;

/// A model that is loaded already.
- (instancetype)initWithMLModel:(MLModel *)model NS_DESIGNATED_INITIALIZER;

/// The model that was built into the bundle.
- (nullable instancetype)init;

/// The model that was built into the bundle, with a configuration.
- (nullable instancetype)initWithConfiguration:(MLModelConfiguration *)configuration error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// A compiled model elsewhere.
- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// A compiled model elsewhere, with a configuration.
- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Loads the model that was built into the bundle in the background.
+ (void)loadWithConfiguration:(MLModelConfiguration *)configuration completionHandler:(void (^)(functions_half_life * _Nullable model, NSError * _Nullable error))handler;

/// Loads a compiled model in the background.
+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration completionHandler:(void (^)(functions_half_life * _Nullable model, NSError * _Nullable error))handler;

/// Predicts.
- (nullable functions_half_lifeOutput *)predictionFromFeatures:(functions_half_lifeInput *)input error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts, with options.
- (nullable functions_half_lifeOutput *)predictionFromFeatures:(functions_half_lifeInput *)input options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts.
- (nullable functions_half_lifeOutput *)predictionFromX:(MLMultiArray *)x error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts many inputs at once; the outputs are in their order.
- (nullable NSArray<functions_half_lifeOutput *> *)predictionsFromInputs:(NSArray<functions_half_lifeInput *> *)inputArray options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error;

@end

NS_ASSUME_NONNULL_END
