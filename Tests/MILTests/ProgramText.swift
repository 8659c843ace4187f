@testable import MIL

/// The programs of the tests, in both dialects.
enum ProgramText {
  static let everything = """
    program(1.3)
    [buildInfo = dict<string, string>({{"coremlc-version", "3600.9.1"}})]
    {
        func main<ios18>(tensor<fp32, [2]> x, state<tensor<fp16, [2]>> cache) [Shapes = tuple<string, list<tensor<int32, [2]>, 2>>(("r", [[1, 2], [3, 4]]))] {
                tensor<int8, [3]> i8 = const()[val = tensor<int8, [3]>([-128, 0, 127])];
                tensor<uint64, [2]> u64 = const()[val = tensor<uint64, [2]>([18446744073709551615, 1])];
                tensor<int64, [2]> i64 = const()[val = tensor<int64, [2]>([-9223372036854775808, 9007199254740993])];
                tensor<uint3, [3]> u3 = const()[val = tensor<uint3, [3]>([7, 0, 5])];
                tensor<int4, [1]> i4 = const()[val = tensor<int4, [1]>([-8])];
                tensor<bf16, [2]> b16 = const()[val = tensor<bf16, [2]>([0x1p-3, -2.5])];
                tensor<fp64, [2]> f64 = const()[val = tensor<fp64, [2]>([0x1.fffffffffffffp-3, -inf])];
                tensor<fp32, [5]> f32 = const()[val = tensor<fp32, [5]>([0x1.99999ap-4, -0.0, nan, 1e-45, 3.4028235e38])];
                tensor<fp32, [2, 0]> none = const()[val = tensor<fp32, [2, 0]>([[], []])];
                tensor<fp32, [0, 3]> nothing = const()[val = tensor<fp32, [0, 3]>([])];
                tensor<string, [2]> words = const()[val = tensor<string, [2]>(["a\\\\b\\"c\\n", "\\x41é"])];
                tensor<fp16, [2]> old = read_state(input = cache);
                tensor<fp16, [2]> new = add(x = old, y = fp16(0x1p0));
                write_state(data = new, input = cache)[name = string("w")];
                tensor<fp32, [2]> a, tensor<fp32, [0]> %"b/1" = split(axis = int32(0), split_sizes = tensor<int32, [2]>([2, 0]), x = x);
                tensor<fp32, [2]> c = cond(pred = bool(true)) block() {
                        tensor<fp32, [2]> d = add(x = x, y = a);
                    } -> (d) block() {
                    } -> (a);
                int32 n, tensor<fp32, [2]> w = while_loop(loop_vars = (int32(0), c)) block(int32 i, tensor<fp32, [2]> v) {
                        bool more = less(x = i, y = int32(3));
                    } -> (more) block(int32 i, tensor<fp32, [2]> v) {
                        int32 j = add(x = i, y = int32(1));
                        tensor<fp32, [2]> u = add(x = v, y = x);
                    } -> (j, u);
                list<tensor<fp32, [2]>, ?> l = make_list(elem_shape = (int32(2)));
            } -> (w);
        func %"other function"<ios18>() {
                string s = const()[val = string("")];
            } -> (s);
    }
    """

  static func parse(_ text: String) throws -> Program { try MILText.parse(text) }

  /// A program with one function, whose body is `body` and whose input is `x`, a tensor<fp32, [2, 3]>.
  static func function(_ body: String, outputs: String) throws -> Program {
    try MILText.parse("program(1.3) { func main<ios18>(tensor<fp32, [2, 3]> x) { \(body) } -> (\(outputs)); }")
  }
}
