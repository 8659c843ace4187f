#if !DeliveryHTTP
  #error("the product DeliveryHTTP needs the trait DeliveryHTTP: .package(url: ..., traits: [\"DeliveryHTTP\"])")
#endif
