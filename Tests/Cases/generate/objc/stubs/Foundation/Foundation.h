// As much of the framework's declarations as generated code speaks of, so that a compiler for C can check it where there is no framework.
#pragma once
#include <stdint.h>

#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define NS_UNAVAILABLE __attribute__((unavailable))
#define NS_DESIGNATED_INITIALIZER __attribute__((objc_designated_initializer))
#define API_AVAILABLE(...)

typedef signed char BOOL;
#define YES ((BOOL)1)
#define NO ((BOOL)0)
#define nil ((void *)0)
typedef long NSInteger;
typedef unsigned long NSUInteger;

NS_ASSUME_NONNULL_BEGIN
__attribute__((objc_root_class))
@interface NSObject
+ (instancetype)alloc;
- (null_unspecified instancetype)init NS_DESIGNATED_INITIALIZER;
- (void)dealloc;
- (id)copy;
- (Class)class;
+ (Class)class;
@end

@interface NSString : NSObject
- (BOOL)isEqualToString:(NSString *)other;
@end
@interface NSNumber : NSObject
@property (readonly) long long longLongValue;
@property (readonly) double doubleValue;
+ (NSNumber *)numberWithLongLong:(long long)value;
+ (NSNumber *)numberWithLong:(long)value;
+ (NSNumber *)numberWithDouble:(double)value;
@end
@interface NSArray<__covariant Element> : NSObject
+ (instancetype)arrayWithObjects:(const Element _Nonnull [_Nullable])objects count:(NSUInteger)count;
@end
@interface NSMutableArray<__covariant Element> : NSArray<Element>
+ (instancetype)arrayWithCapacity:(NSUInteger)capacity;
- (void)addObject:(Element)object;
@end
@interface NSSet<__covariant Element> : NSObject
+ (instancetype)setWithArray:(NSArray<Element> *)array;
@end
@interface NSDictionary<__covariant Key, __covariant Value> : NSObject
@end
@interface NSURL : NSObject
+ (NSURL *)fileURLWithPath:(NSString *)path;
@end
@interface NSError : NSObject
+ (instancetype)errorWithDomain:(NSString *)domain code:(NSInteger)code userInfo:(nullable NSDictionary *)info;
@end
extern NSString *const NSCocoaErrorDomain;
enum { NSFileNoSuchFileError = 4 };
@interface NSBundle : NSObject
+ (NSBundle *)bundleForClass:(Class)type;
- (nullable NSString *)pathForResource:(NSString *)name ofType:(NSString *)type;
@end
NS_ASSUME_NONNULL_END
