/// What stood on the command line, checked against the tables and typed by them.
package struct ParsedArguments: Sendable {
    /// The words that lead to the command, the program's name first: `["camo-producer", "pair"]`.
    package internal(set) var path: [String]
    package internal(set) var operands: [String] = []
    var values: [String: any Sendable] = [:]

    /// Whether the flag was given.
    package subscript(flag: Flag) -> Bool { values[flag.name] != nil }

    /// The option's value, nil where it was not given.
    package subscript<Value>(option: Option<Value>) -> Value? { values[option.name] as? Value }

    package func has(_ option: any CommandOption) -> Bool { values[option.name] != nil }

    /// An error that points at this command's help.
    package func error(_ description: String) -> UsageError {
        UsageError(description, command: path.joined(separator: " "))
    }

    /// Refuses more than one of `options`; returns the one that was given.
    @discardableResult
    package func atMostOne(of options: [any CommandOption]) throws(UsageError) -> (any CommandOption)? {
        let given = options.filter(has)
        if given.count > 1 {
            throw error("\(given[0].spelling) and \(given[1].spelling) exclude each other: give one of them")
        }
        return given.first
    }

    /// Refuses each of `options`, because it does nothing without `reason`: "is only for --raw".
    package func refuse(_ options: [any CommandOption], _ reason: String) throws(UsageError) {
        if let option = options.first(where: has) { throw error("\(option.spelling) \(reason)") }
    }
}
