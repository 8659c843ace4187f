// swift-format-ignore-file
import CoreML

enum ShapedArrays {
    static func mean<A: MLShapedArrayProtocol>(_ a: A) -> Float where A.Scalar == Float { a.scalars.reduce(0, +) / Float(a.scalarCount) }
    static func widen<T: MLShapedArrayScalar & BinaryFloatingPoint>(_ a: MLShapedArray<T>) -> MLShapedArray<Double> { MLShapedArray<Double>(converting: a) }
    static func flat<T>(_ a: some MLShapedArrayProtocol<T>) -> [T] { a.scalars }
    static func run() async throws -> [String] {
        var wrong: [String] = []
        func check(_ b: Bool, _ s: String) { if !b { wrong.append(s) } }
        var a = MLShapedArray<Float>(scalars: (0..<24).map(Float.init), shape: [2, 3, 4])
        a[0] = MLShapedArraySlice<Float>(repeating: 1, shape: [3, 4])
        a[0, 1] = MLShapedArraySlice<Float>(scalars: [5, 6, 7, 8], shape: [4])
        a[scalarAt: 0, 0, 0] = 9
        a[scalarAt: [0, 0, 1]] += 3
        check(a[0].scalars == [9, 4, 1, 1, 5, 6, 7, 8, 1, 1, 1, 1], "\(a[0].scalars)")
        for i in a.indices { a[i].fill(with: Float(i)) }
        check(a.scalars == Array(repeating: 0, count: 12) + Array(repeating: 1, count: 12), "fill")
        let s = a[1..<2, 0...1, 1..<3]
        check(s.shape == [1, 2, 2] && s.scalars == [1, 1, 1, 1], "\(s.shape)")
        check(mean(a) == 0.5 && mean(a[1]) == 1, "mean")
        check(widen(a)[scalarAt: 1, 0, 0] == 1 && flat(a[1]).count == 12, "widen")
        var b = a
        b[1, 2].fill(with: [1, 2])
        check(b[1][2].scalars == [1, 2, 1, 2] && a != b && a[1][2].scalars == [1, 1, 1, 1], "cow")
        check(a.map { $0.shape } == [[3, 4], [3, 4]] && a.count == 2 && a.first?.count == 3, "collection")
        let lit: MLShapedArray<Float> = [1, 2, 3]
        check(lit.shape == [3] && lit.scalars == [1, 2, 3] || lit.shape == [3], "literal")
        let nested: MLShapedArray<Int32> = MLShapedArray(scalars: [1, 2, 3, 4], shape: [2, 2])
        check(nested.shape == [2, 2] && nested[1][0].scalar == 3, "nested \(nested)")
        let t = nested.transposed()
        check(t.scalars == [1, 3, 2, 4] && t[0].scalars == [1, 3], "transposed \(t)")
        let e = nested.expandingShape(at: 0).squeezingShape().reshaped(to: [4])
        check(e.scalars == [1, 2, 3, 4], "reshaped")
        let id = MLShapedArray<Double>(identityMatrixOfSize: 3)
        check(id[1][1].scalar == 1 && id[1].scalars == [0, 1, 0], "identity")
        let u = MLShapedArray<Float>(unsafeUninitializedShape: [2, 2]) { p, strides in for i in 0..<4 { (p.baseAddress! + i).initialize(to: Float(i * strides[1])) } }
        check(u.scalars == [0, 1, 2, 3], "uninitialised")
        u.withUnsafeShapedBufferPointer { p, shape, strides in check(p.count == 4 && shape == [2, 2] && strides == [2, 1], "buffer") }
        var m = u
        m.withUnsafeMutableShapedBufferPointer { (p: inout UnsafeMutableBufferPointer<Float>, shape: [Int], strides: [Int]) in p[3] = 30 }
        m.withUnsafeMutableShapedBufferPointer(using: .firstMajorContiguous) { p, _, _ in p[0] = 5 }
        check(m.scalars == [5, 1, 2, 30], "mutable")
        let last = m.changingLayout(to: .lastMajorContiguous)
        check(last == m && last.strides == [1, 2], "layout \(last.strides)")
        let data = Data([1, 0, 0, 0, 2, 0, 0, 0])
        check(MLShapedArray<Int32>(data: data, shape: [2]).scalars == [1, 2], "data")
        let json = try JSONEncoder().encode(nested)
        check(try JSONDecoder().decode(MLShapedArray<Int32>.self, from: json) == nested, "codable")
        let c = MLShapedArray(concatenating: [nested, nested], alongAxis: -1)
        check(c.shape == [2, 4] && c[0].scalars == [1, 2, 1, 2], "concatenating")
        let arr = MLMultiArray(nested)
        check(arr.dataType == .int32 && MLShapedArray<Int32>(arr) == nested && MLShapedArray<Float>(converting: arr).scalars == [1, 2, 3, 4], "arrays")
        check(MLShapedArray<Float>(a[0]).shape == [3, 4] && MLMultiArray(MLShapedArray(a[0])).shape == [3, 4], "of slices")
        let sum = zip(a, b).map { zip($0.scalars, $1.scalars).map(+).reduce(0, +) }
        check(sum == [0, 26], "\(sum)")
        check("\(nested)".contains("1") && String(describing: type(of: nested)) == "MLShapedArray<Int32>", "printed: \(nested)")
        check(MLShapedArray<Float16>.Scalar.multiArrayDataType == .float16 && Float.multiArrayDataType == .float32, "types")
        let sorted = MLShapedArray<Float>(scalars: [3, 1, 2], shape: [3]).sorted { $0.scalar! < $1.scalar! }.compactMap(\.scalar)
        check(sorted == [1, 2, 3], "sorted")
        var swap = MLShapedArray<Float>(scalars: [3, 1, 2], shape: [3]); swap.swapAt(0, 2)
        check(swap.scalars == [2, 1, 3], "swap")
        let dynamic: any MLShapedArrayProtocol = swap
        check(dynamic.shape == [3] && dynamic.scalarCount == 3, "any")
        a.withUnsafeMutableShapedBufferPointer { ptr, _, _ in ptr.update(repeating: 2) }
        check(a.scalars.allSatisfy { $0 == 2 }, "update")
        return wrong
    }
}
