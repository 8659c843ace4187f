import Foundation
import TestSupport
import Testing

/// The output of a row identifies the row.
@Suite(.tags(.process)) struct RowNameTests {
  private let folder: Scratch

  init() throws {
    folder = try Scratch()
    try SmallModels.write(SmallModels.passenger, to: "Passenger.mlmodel", in: folder)
    try folder.write("Sex,Age\nmale,3\n\"fe\nmale\",4\nmale,\nmale,5\n", to: "rows.csv")
  }

  private func predict(_ arguments: String..., model: String = "Passenger.mlmodel") throws -> CommandRun {
    try CommandRun(["predict", model] + arguments, in: folder)
  }

  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test func numbersAreThoseOfErrors() throws {
    let printed = try predict("--batch", "rows.csv", "--on-error", "skip")
    #expect(try objects(printed.output).map { $0["row"] as? Int } == [1, 2, 4])
    #expect(try predict("--batch", "rows.csv", "--on-error", "record", "--output", "out.jsonl").status == 0)
    let rows = try objects(folder.read("out.jsonl"))
    #expect(rows.map { $0["row"] as? Int } == [1, 2, 3, 4])
    // The line number in the file, which differs from the record number.
    #expect((rows[2]["error"] as? String)?.contains("row 3 (line 5): 'Age' is empty") == true, "\(rows[2])")
  }

  @Test func aModelMayCallItsOutputSo() throws {
    try SmallModels.write(SmallModels.row, to: "Row.mlmodel", in: folder)
    try folder.write("{\"Sex\": \"a\", \"row\": 7}\n", to: "rows.jsonl")
    let row = try objects(predict("--batch", "rows.jsonl", model: "Row.mlmodel").output)[0]
    #expect(row["row"] as? Double == 7 && row["_row"] as? Int == 1)
  }

  @Test func filesAreNamedAndThoseOfOneStemKeptApart() throws {
    for name in ["a.json", "b.json"] { try folder.write("{\"Sex\": \"\(name)\", \"Age\": 1}", to: "in/\(name)") }
    let rows = try objects(predict("--batch", "in").output)
    #expect(rows.map { $0["row"] as? String } == ["a.json", "b.json"])
    #expect(rows.map { $0["Sex"] as? String } == ["a.json", "b.json"])
    let digits = CommandRun.digits
    let model = digits.appending(path: "Digits.mlpackage").path
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "both"), withIntermediateDirectories: true)
    for (source, name) in [("two", "a.png"), ("five", "a.jpg")] {
      try FileManager.default.copyItem(
        at: digits.appending(path: "\(source).png"), to: folder.url.appending(path: "both/\(name)"))
    }
    #expect(try predict("--batch", "both", "--output", "out", model: model).status == 0)
    #expect(try folder.list("out") == ["a.jpg.json", "a.png.json"])
    #expect(try folder.read("out/a.png.json").contains("\"classLabel\": \"two\""))
  }

  /// An `.npz` file lists the rows that it contains: here those that did not fail.
  @Test func arraysHaveTheirRowsToo() throws {
    let model = try WrittenModel.write(
      "(tensor<fp32, [2]> x) { tensor<fp32, [2]> y = square(x = x); } -> (y)", inputs: ["x": [2]], outputs: ["y": [2]],
      in: folder, named: "Square")
    try folder.write("{\"x\": [1, 2]}\n{\"x\": 1}\n{\"x\": [3, 4]}\n", to: "rows.jsonl")
    let run = try predict("--batch", "rows.jsonl", "--output", "out.npz", "--on-error", "skip", model: model)
    #expect(run.status == 0, "\(run.complaint)")
    let arrays = try NPZFile.read(folder.url.appending(path: "out.npz").path)
    #expect(arrays["row"] == [1, 3] && arrays["y"] == [1, 4, 9, 16])
    #expect(try !folder.list().contains { $0.hasSuffix(".run") || $0.contains("partial") })
    for name in ["a", "b"] { try folder.write("{\"x\": [1, 2]}", to: "in/\(name).json") }
    #expect(try predict("--batch", "in", "--output", "named.npz", model: model).status == 0)
    // numpy's strings have four bytes per character.
    let bytes = try Data(contentsOf: folder.url.appending(path: "named.npz"))
    #expect(bytes.range(of: Data("'descr': '<U6'".utf8)) != nil)
    var letters = Data()
    for letter in "a.jsonb.json".utf8 { letters.append(contentsOf: [letter, 0, 0, 0] as [UInt8]) }
    #expect(bytes.range(of: letters) != nil)
  }

  /// A table may have more columns than the model has features, and other names for them.
  @Test func columnsAreChosen() throws {
    try folder.write("id,Sex,years\nx1,a,1\n,b,2\n", to: "more.csv")
    try predict("--batch", "more.csv").failed(65, naming: "--columns")
    let rows = try predict("--batch", "more.csv", "--columns", "Sex,years=Age")
    #expect(try objects(rows.output).map { $0["Sex"] as? String } == ["a", "b"], "\(rows.complaint)")
    #expect(try objects(rows.output).map { $0["Age"] as? Double } == [1, 2], "\(rows.output)")
    try predict("--batch", "more.csv", "--columns", "Sex,age=Age").failed(65, naming: "expected a column 'age'")
    try predict("--batch", "more.csv", "--columns", "Sex,years=Years").failed(65, naming: "no input 'Years'")
    for list in ["Sex,", "Sex,Sex", "Sex,years=Sex", "=Sex"] {
      try predict("--batch", "more.csv", "--columns", list).failed(64, naming: "--columns")
    }
    try folder.write("{}", to: "rows.jsonl")
    try predict("--batch", "rows.jsonl", "--columns", "Sex").failed(64, naming: "no .csv")
    try predict("--set", "Sex=a", "--columns", "Sex").failed(64, naming: "--columns")
    // Results depend on the columns, so a run only resumes with the same columns.
    let words = ["--batch", "more.csv", "--output", "out.jsonl"]
    #expect(
      try CommandRun(["predict", "Passenger.mlmodel"] + words + ["--columns", "Sex,years=Age"], in: folder).status == 0)
    try CommandRun(
      ["predict", "Passenger.mlmodel"] + words + ["--columns", "id=Sex,years=Age", "--resume"], in: folder
    )
    .failed(65, naming: "--columns")
  }

  @Test func columnsAreRepeatedInResults() throws {
    try folder.write("id,Sex,note,Age\nx1,a,\"a, b\",1\nx2,b,,wrong\nx3,c,z,3\n", to: "more.csv")
    let words = ["--batch", "more.csv", "--keep-columns", "id,note", "--on-error", "record"]
    let run = try CommandRun(["predict", "Passenger.mlmodel"] + words, in: folder)
    let rows = try objects(run.output)
    #expect(rows.map { $0["id"] as? String } == ["x1", "x2", "x3"], "\(run.output) \(run.complaint)")
    #expect(rows.map { $0["note"] as? String } == ["a, b", "", "z"] && rows.map { $0["row"] as? Int } == [1, 2, 3])
    #expect(rows[0]["Sex"] as? String == "a" && rows[1]["error"] != nil)
    // A column may also be a feature. Results with kept columns can be compared, too.
    let kept = ["--batch", "more.csv", "--keep-columns", "id", "--columns", "Sex,Age", "--on-error", "skip"]
    #expect(
      try CommandRun(["predict", "Passenger.mlmodel"] + kept + ["--output", "out.jsonl"], in: folder).status == 0)
    #expect(try folder.read("out.jsonl").contains("\"id\": \"x3\""))
    let compared = try CommandRun(["predict", "Passenger.mlmodel"] + kept + ["--compare", "out.jsonl"], in: folder)
    #expect(compared.status == 0, "\(compared.complaint)")
    for (list, status, word) in [
      ("id,", 64, "--keep-columns"), ("id,id", 64, "--keep-columns"), ("key", 65, "expected a column 'key'"),
      ("id,note,Sex", 64, "another member 'Sex'"),
    ] as [(String, Int32, String)] {
      try predict("--batch", "more.csv", "--keep-columns", list).failed(status, naming: word)
    }
    try predict("--batch", "more.csv", "--keep-columns", "id,note", "--output", "folder").failed(64, naming: ".jsonl")
    try predict("--batch", "more.csv").failed(65, naming: "--keep-columns")
  }

  @Test func columnsStandInArraysToo() throws {
    let model = try WrittenModel.write(
      "(tensor<fp32, [2]> x) { tensor<fp32, [2]> y = square(x = x); } -> (y)", inputs: ["x": [2]], outputs: ["y": [2]],
      in: folder, named: "Square")
    try folder.write("id,x\none,\"[1, 2]\"\ntwo,\"[3, 4]\"\n", to: "more.csv")
    let run = try predict(
      "--batch", "more.csv", "--keep-columns", "id", "--output", "out.npz", model: model)
    #expect(run.status == 0, "\(run.complaint)")
    let bytes = try Data(contentsOf: folder.url.appending(path: "out.npz"))
    var letters = Data()
    for letter in "onetwo".utf8 { letters.append(contentsOf: [letter, 0, 0, 0] as [UInt8]) }
    #expect(bytes.range(of: Data("id.npy".utf8)) != nil && bytes.range(of: letters) != nil)
  }

  @Test func linesComeAndGoThroughPipes() throws {
    let rows = "{\"Sex\": \"a\", \"Age\": 1}\n{\"Sex\": \"b\", \"Age\": 2}\n"
    let run = try CommandRun(
      ["predict", "Passenger.mlmodel", "--batch", "-", "--output", "-"], in: folder, input: rows)
    #expect(try objects(run.output).map { $0["Sex"] as? String } == ["a", "b"])
    let one = try CommandRun(
      ["predict", "Passenger.mlmodel", "--input", "-", "--output", "-"], in: folder,
      input: "{\"Sex\": \"c\", \"Age\": 3}")
    #expect(try one.json()["Sex"] as? String == "c")
    let stream = try CommandRun(
      ["predict", "Passenger.mlmodel", "--batch", "/dev/stdin", "--output", "-"], in: folder, input: rows)
    #expect(try objects(stream.output).map { $0["Sex"] as? String } == ["a", "b"])
    let single = try CommandRun(
      ["predict", "Passenger.mlmodel", "--input", "/dev/fd/0", "--output", "-"], in: folder,
      input: "{\"Sex\": \"d\", \"Age\": 3}")
    #expect(try single.json()["Sex"] as? String == "d")
    // A folder can be opened but not read.
    try CommandRun(["predict", "Passenger.mlmodel", "--batch", "-"], in: folder, redirection: "< .").failed(
      74, naming: "standard input")
    try CommandRun(["predict", "Passenger.mlmodel", "--batch", "-"], in: folder, input: "3\n").failed(
      65, naming: "standard input, row 1")
    try CommandRun(["predict", "Passenger.mlmodel", "--input", "-"], in: folder, input: "{").failed(
      65, naming: "standard input")
    #expect(try !folder.list().contains("-"))
  }

  @Test func wordsAreJSONWhereTheyAreQuoted() throws {
    #expect(try predict("--set", "Sex=\"male\"", "--set", "Age=3").json()["Sex"] as? String == "male")
    #expect(try predict("--set", "Sex=male", "--set", "Age=3").json()["Sex"] as? String == "male")
    #expect(try predict("--set", "Sex=\"a\\\"b\"", "--set", "Age=3").json()["Sex"] as? String == "a\"b")
    #expect(try predict("--set", "Sex=\"open", "--set", "Age=3").json()["Sex"] as? String == "\"open")
  }
}
