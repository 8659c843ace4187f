@main struct CommandMain { static func main() {} }
