import CommandCore

@main
struct Program {
    static func main() {
        let options = CommandLineProgram.parseOrExit(ProducerTable.tool, ProducerOptions.init)
        // Before anything else can take time: until then every user of this machine can read the code.
        if case .pair(.code(let code)) = options.action { ArgumentMemory.wipe(code.text) }
    }
}
