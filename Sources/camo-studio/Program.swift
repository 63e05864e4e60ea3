import CommandCore

@main
struct Program {
    static func main() {
        let options = CommandLineProgram.parseOrExit(StudioTable.tool, StudioOptions.init)
        _ = options
    }
}
