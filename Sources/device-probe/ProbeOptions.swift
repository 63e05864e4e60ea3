/// `--name value` pairs; the probe is for scripts, so anything else is an error.
struct ProbeOptions {
    private var values: [String: String] = [:]

    init(_ arguments: ArraySlice<String>, known: Set<String>) throws(ProbeFailure) {
        var rest = arguments
        while let name = rest.popFirst() {
            guard name.hasPrefix("--"), known.contains(String(name.dropFirst(2))), let value = rest.popFirst() else {
                throw ProbeFailure("\(name): no such option, or its value is missing")
            }
            values[String(name.dropFirst(2))] = value
        }
    }

    func value<T>(_ name: String, _ read: (String) -> T?) throws(ProbeFailure) -> T? {
        guard let text = values[name] else { return nil }
        guard let value = read(text) else { throw ProbeFailure("--\(name): \(text) is not understood") }
        return value
    }
}

struct ProbeFailure: Error {
    let text: String
    init(_ text: String) { self.text = text }
}
