import CamoTypes

extension CameraControl {
    /// `brightness = 8; -64 to 64 in steps of 2, default 0`.
    package var line: String {
        var parts = [expectation]
        if kind != .button { parts.append("default \(text(for: defaultValue))") }
        if isInactive { parts.append("inactive: another control sees to it") }
        if isReadOnly { parts.append("read-only") }
        return (kind == .button ? id : "\(id) = \(text(for: value))") + "; " + parts.joined(separator: ", ")
    }

    package var event: Event {
        var event = Event("control")
        event.fields = members
        return event
    }

    /// An object with all there is to know of it.
    package var json: JSONValue { .object(members) }

    private var members: [JSONMember] {
        let items = menu.map { item in
            JSONValue.object([JSONMember("value", .integer(item.value)), JSONMember("name", .string(item.name))])
        }
        return [
            JSONMember("id", .string(id)), JSONMember("name", .string(name)),
            JSONMember("kind", .string(kind.rawValue)), JSONMember("minimum", .integer(range.lowerBound)),
            JSONMember("maximum", .integer(range.upperBound)), JSONMember("step", .integer(step)),
            JSONMember("default", .integer(defaultValue)), JSONMember("value", .integer(value)),
            JSONMember("menu", .array(items)), JSONMember("inactive", .bool(isInactive)),
            JSONMember("readOnly", .bool(isReadOnly)),
        ]
    }
}

extension EventWriter {
    /// A control as data on standard output: a line, or an event for programs.
    package func tell(_ control: CameraControl, asJSON isJSON: Bool) throws(OutputError) {
        if isJSON { return write(control.event) }
        try OutputWriter.standardOutput.write(TerminalText.cleaned(control.line) + "\n")
    }
}
