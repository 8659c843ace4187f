/// Support vector machines (SVM.proto), computed in the steps of libsvm (Chang and Lin, "LIBSVM: a library for
/// support vector machines").
enum SupportVectorOperations {
  static let all: [OperationDefinition] = [
    // The kernel function of each row of x with each support vector. `kernel`: "linear", "rbf", "poly", "sigmoid", with
    // `gamma`, `coef0` and `degree`. The vectors are the rows of `vectors`, or sparse: row r has the entries
    // row_begin[r] ..< row_begin[r + 1] of `columns` and `values`.
    OperationDefinition(
      "ml.support_vector_kernel",
      [
        .required("x"), .optional("vectors"), .optional("row_begin"), .optional("columns"), .optional("values"),
        .required("kernel"), .optional("gamma"), .optional("coef0"), .optional("degree"),
      ],
      work: { call, _ in
        let vectors = (try? call.tensor(call.has("vectors") ? "vectors" : "values").elementCount) ?? 1
        let rows = (try? call.rows("x").lead.reduce(1) { $0 * ($1.value ?? 1) }) ?? 1
        return Work(flops: 3 * Double(rows) * Double(vectors))
      }
    ) { call in
      let (lead, x) = try call.rows("x")
      guard ["linear", "rbf", "poly", "sigmoid"].contains(try call.string("kernel")) else {
        throw call.error(.invalidArgument, "'kernel' is '\(try call.string("kernel"))'")
      }
      if call.has("vectors") {
        let vectors = try call.shape("vectors")
        guard vectors.count == 2, vectors[1].agrees(with: x) else {
          throw call.error(.invalidShape, "'vectors' is \(try call.tensor("vectors")) for \(try call.tensor("x"))")
        }
        return [.tensor(TensorType(.float64, lead + [vectors[0]]))]
      }
      guard try call.shape("columns") == call.shape("values"), let begins = try call.shape("row_begin").first else {
        throw call.error(.invalidShape, "the tables of sparse vectors disagree")
      }
      let rows = begins.value.map { Dimension(max($0 - 1, 0)) } ?? .unknown
      return [.tensor(TensorType(.float64, lead + [rows]))]
    },
    // The decision value of each pair of classes i < j. Support vectors are sorted by class, with `counts` vectors
    // each. `coefficients` is [classes - 1, vectors].
    OperationDefinition(
      "ml.one_versus_one", [.required("kernel"), .required("coefficients"), .required("counts"), .required("rho")]
    ) { call in
      let (lead, vectors) = try call.rows("kernel")
      let coefficients = try call.shape("coefficients")
      let counts = try call.shape("counts")
      let pairs = try call.shape("rho")
      guard coefficients.count == 2, coefficients[1].agrees(with: vectors), counts.count == 1, pairs.count == 1,
        coefficients[0].agrees(with: counts[0].value.map { Dimension($0 - 1) } ?? .unknown),
        pairs[0].agrees(with: counts[0].value.map { Dimension($0 * ($0 - 1) / 2) } ?? .unknown)
      else {
        throw call.error(
          .invalidShape,
          "\(try call.tensor("coefficients")) and \(try call.tensor("rho")) do not fit \(try call.tensor("counts"))")
      }
      return [.tensor(TensorType(.float64, lead + pairs))]
    },
    // The number of pairs that each class wins: i if the decision is greater than 0, else j.
    OperationDefinition("ml.pair_votes", [.required("decisions"), .required("classes")]) { call in
      [.tensor(TensorType(.float64, try call.rows("decisions").lead + [call.classes(of: "decisions")]))]
    },
    // Class probabilities from those of pairs, 1 / (1 + exp(prob_a decision + prob_b)). Uses method 2 of Wu, Lin and
    // Weng, "Probability estimates for multi-class classification by pairwise coupling", with libsvm's stopping
    // criterion. Two classes have the probability of their pair, as in libsvm since 3.23 and in Core ML (according to
    // coremltools' converter of scikit-learn's SVC).
    OperationDefinition(
      "ml.pairwise_coupling",
      [.required("decisions"), .required("prob_a"), .required("prob_b"), .required("classes")]
    ) { call in
      let classes = try call.classes(of: "decisions", vectors: ["prob_a", "prob_b"])
      return [.tensor(TensorType(.float64, try call.rows("decisions").lead + [classes]))]
    },
  ]
}

extension Invocation {
  /// Rows of fp64: the axes before the last one, and the length of a row.
  func rows(_ name: String) throws -> (lead: [Dimension], width: Dimension) {
    let type = try tensor(name)
    guard type.scalar == .float64, let width = type.shape.last else {
      throw error(.invalidType, "'\(name)' must be rows of fp64, it is \(type)")
    }
    return (type.shape.dropLast(), width)
  }

  /// The length of an fp64 vector.
  func vector(_ name: String) throws -> Dimension {
    let type = try tensor(name)
    guard type.scalar == .float64, type.rank == 1 else {
      throw error(.invalidType, "'\(name)' must be a vector of fp64, it is \(type)")
    }
    return type.shape[0]
  }

  fileprivate func classes(of rows: String, vectors: [String] = []) throws -> Dimension {
    let classes = try int("classes", atLeast: 2)
    guard classes < 1 << 16 else { throw error(.unsupported, "\(classes) classes are more than \(1 << 16)") }
    let pairs = Dimension(classes * (classes - 1) / 2)
    guard try self.rows(rows).width.agrees(with: pairs) else {
      throw error(.invalidShape, "'\(rows)' is \(try tensor(rows)) for \(classes) classes")
    }
    for name in vectors where try !vector(name).agrees(with: pairs) {
      throw error(.invalidShape, "'\(name)' is \(try tensor(name)) for \(classes) classes")
    }
    return Dimension(classes)
  }
}
