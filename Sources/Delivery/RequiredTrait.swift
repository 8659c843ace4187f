#if !Delivery
  #error("the product Delivery needs the trait Delivery: .package(url: ..., traits: [\"Delivery\"])")
#endif
