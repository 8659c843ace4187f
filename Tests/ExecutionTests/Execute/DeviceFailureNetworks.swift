extension DeviceFailureTests {
  /// Four networks, each for another group of kernels. The state counts the predictions: a repeated one must not count
  /// twice.
  enum Network: String, CaseIterable, Sendable {
    case convolution, attention, movement, states

    var text: String {
      switch self {
      case .convolution: DeviceFailureTests.network
      case .attention: DeviceFailureTests.attention
      case .movement: DeviceFailureTests.movement
      case .states: DeviceFailureTests.states
      }
    }
    /// An operation that the plan must place on the device.
    var operation: String {
      switch self {
      case .convolution: "conv"
      case .attention: "fused.attention"
      case .movement: "gather"
      case .states: "read_state"
      }
    }
  }

  static let attention = """
    (tensor<fp32, [1, 2, 4, 4]> x, state<tensor<fp32, [1, 3]>> s) {
      tensor<fp32, [1, 3]> before = read_state(input = s);
      tensor<fp32, [1, 3]> after = add(x = before, y = fp32(1));
      write_state(input = s, data = after);
      tensor<fp32, [2, 4, 4]> q = reshape(x = x, shape = tensor<int32, [3]>([2, 4, 4]));
      tensor<fp32, [2, 4, 4]> k = layer_norm(x = q, axes = tensor<int32, [1]>([-1]), epsilon = fp32(0.01));
      tensor<fp32, [2, 4, 4]> w = matmul(x = q, y = k, transpose_x = bool(false), transpose_y = bool(true));
      tensor<fp32, [2, 4, 4]> p = softmax(x = w, axis = int32(-1));
      tensor<fp32, [2, 4, 4]> z = matmul(x = p, y = k, transpose_x = bool(false), transpose_y = bool(false));
      tensor<fp32, [2, 4, 4]> g = gelu(x = z, mode = string("EXACT"));
      tensor<fp32, [2, 4, 4]> c = cumsum(x = g, axis = int32(1), exclusive = bool(false), reverse = bool(true));
      tensor<fp32, [2, 4]> m = reduce_mean(x = c, axes = tensor<int32, [1]>([1]), keep_dims = bool(false));
      tensor<fp32, [2, 3]> t = slice_by_size(x = m, begin = tensor<int32, [2]>([0, 0]), size = tensor<int32, [2]>([2, 3]));
      tensor<fp32, [1, 3]> u = reduce_max(x = t, axes = tensor<int32, [1]>([0]), keep_dims = bool(true));
      tensor<fp32, [1, 3]> y = add(x = u, y = before);
    } -> (y)
    """

  /// Its state is large enough to be placed in device memory.
  static let states = """
    (tensor<fp32, [1, 2, 4, 4]> x, state<tensor<fp32, [1, 16384]>> s) {
      tensor<fp32, [1, 16384]> before = read_state(input = s);
      tensor<fp32, [1, 32]> a = reshape(x = x, shape = tensor<int32, [2]>([1, 32]));
      tensor<fp32, [1, 1]> m = reduce_max(x = a, axes = tensor<int32, [1]>([1]), keep_dims = bool(true));
      tensor<fp32, [1, 16384]> after = add(x = before, y = m);
      write_state(input = s, data = after);
      tensor<fp32, [1, 16384]> again = read_state(input = s);
      tensor<fp32, [1, 16384]> twice = mul(x = again, y = fp32(2));
      write_state(input = s, data = twice);
      tensor<fp32, [1, 3]> y = slice_by_size(x = again, begin = tensor<int32, [2]>([0, 7]), size = tensor<int32, [2]>([1, 3]));
    } -> (y)
    """

  static let movement = """
    (tensor<fp32, [1, 2, 4, 4]> x, state<tensor<fp32, [1, 3]>> s) {
      tensor<fp32, [1, 3]> before = read_state(input = s);
      tensor<fp32, [1, 3]> after = add(x = before, y = fp32(1));
      write_state(input = s, data = after);
      tensor<fp32, [1, 2, 2, 2]> a = max_pool(x = x, kernel_sizes = tensor<int32, [2]>([2, 2]), strides = tensor<int32, [2]>([2, 2]), pad_type = string("valid"));
      tensor<fp32, [1, 2, 4, 4]> b = upsample_nearest_neighbor(x = a, scale_factor_height = fp32(2), scale_factor_width = fp32(2));
      tensor<fp32, [1, 4, 4, 4]> c = concat(values = (x, b), axis = int32(1), interleave = bool(false));
      tensor<fp32, [1, 4, 4, 4]> d = transpose(x = c, perm = tensor<int32, [4]>([0, 2, 3, 1]));
      tensor<int32, [1, 4, 4]> e = reduce_argmax(x = d, axis = int32(-1), keep_dims = bool(false));
      tensor<int32, [16]> f = reshape(x = e, shape = tensor<int32, [1]>([16]));
      tensor<fp32, [1, 4, 4, 4]> l = l2_norm(x = d, epsilon = fp32(0.1));
      tensor<fp32, [1, 16, 4, 4]> g = gather(x = l, indices = f, axis = int32(1), validate_indices = bool(false));
      tensor<bool, [1, 16, 4, 4]> h = greater(x = g, y = fp32(0));
      tensor<fp32, [1, 16, 4, 4]> i = select(cond = h, a = g, b = fp32(-0.5));
      tensor<fp32, [1, 16, 4, 6]> j = pad(x = i, pad = tensor<int32, [2]>([1, 1]), mode = string("reflect"));
      tensor<fp32, [1, 384]> n = reshape(x = j, shape = tensor<int32, [2]>([1, 384]));
      tensor<fp32, [1, 1]> k = reduce_sum(x = n, axes = tensor<int32, [1]>([1]), keep_dims = bool(true));
      tensor<fp32, [1, 3]> y = add(x = k, y = before);
    } -> (y)
    """

  static let network = """
    (tensor<fp32, [1, 2, 4, 4]> x, state<tensor<fp32, [1, 3]>> s) {
      tensor<fp32, [2, 2, 3, 3]> w = fill(shape = tensor<int32, [4]>([2, 2, 3, 3]), value = fp32(0.1));
      tensor<fp32, [3, 32]> v = fill(shape = tensor<int32, [2]>([3, 32]), value = fp32(0.02));
      tensor<fp32, [1, 3]> before = read_state(input = s);
      tensor<fp32, [1, 3]> after = add(x = before, y = fp32(1));
      write_state(input = s, data = after);
      tensor<fp32, [1, 2, 4, 4]> a = conv(x = x, weight = w, pad_type = string("same"));
      tensor<fp32, [1, 32]> b = reshape(x = a, shape = tensor<int32, [2]>([1, 32]));
      tensor<fp32, [1, 3]> c = linear(x = b, weight = v, bias = tensor<fp32, [3]>([0, 1, -1]));
      tensor<fp32, [1, 3]> d = add(x = c, y = before);
      tensor<fp32, [1, 3]> y = softmax(x = d, axis = int32(1));
    } -> (y)
    """
}
