@main struct ConformanceMain { static func main() {} }
