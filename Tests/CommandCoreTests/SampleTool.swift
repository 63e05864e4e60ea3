import CamoTypes

@testable import CommandCore

/// A small program with every kind of option.
enum SampleTable {
    static let count = Option("count", short: "c", .wholeNumber(in: 1...10), "how many")
    static let rate = Option("rate", .number(in: 0.5...240), "how fast")
    static let bits = Option("bits", .bitRate(in: 50_000...100_000_000), "how much")
    static let size = Option("size", .size, "how large")
    static let definition = Option<Definition>("definition", .choice, "how fine")
    static let angle = Option("angle", .choice([90, 180, 270]), "how far round")
    static let preset = Option("preset", .choice(["fast", "slow"]), "how well")
    static let address = Option("address", .hostPort, "where")
    static let file = Option("file", .path, "which file")
    static let title = Option("title", .name, "which name")
    static let loop = Flag("loop", short: "l", "again and again")
    static let depth = Option("depth", .wholeNumber(in: 1...3), "how deep")

    static let tool = Tool(
        version: "1.2.3",
        root: Command(
            "sample", "Does nothing, in every way.",
            groups: [
                OptionGroup("All", [count, rate, bits, size, definition, angle, preset, address, file, title, loop])
            ],
            commands: [
                Command("open", "Opens a file.", operands: [Operand("FILE", .path, "what to open")]),
                Command(
                    "set", "Sets.",
                    operands: [Operand("NAME=VALUE", .controlAssignment, "what to set", count: .repeated)]),
                Command("pick", "Picks.", operands: [Operand("ID", .text, "which one", count: .optional)]),
                Command(
                    "devices", "Lists devices.",
                    groups: [OptionGroup("All", [depth])],
                    commands: [Command("remove", "Removes one.", operands: [Operand("ID", .text, "which one")])]),
            ]),
        secretPrefix: "secret:")

    static func parse(_ arguments: String...) throws -> ParsedArguments {
        guard case .run(let parsed) = try tool.parse(arguments).get() else {
            throw UsageError("asked to print something")
        }
        return parsed
    }

    /// The message of the error, empty where there is none.
    static func complaint(_ arguments: [String]) -> String {
        guard case .failure(let error) = tool.parse(arguments) else { return "" }
        return error.description
    }

    static func printed(_ arguments: String...) -> String {
        guard case .success(.print(let text)) = tool.parse(arguments) else { return "" }
        return text
    }
}
