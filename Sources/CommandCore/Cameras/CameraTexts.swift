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
        Event(
            "control",
            [
                "id": .string(id), "name": .string(name), "kind": .string(kind.rawValue),
                "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound), "step": .integer(step),
                "default": .integer(defaultValue), "value": .integer(value),
                "menu": .array(
                    menu.map {
                        .object([JSONMember("value", .integer($0.value)), JSONMember("name", .string($0.name))])
                    }), "inactive": .bool(isInactive), "readOnly": .bool(isReadOnly),
            ])
    }
}

extension EventWriter {
    /// A control as data on standard output: a line, or an event for programs.
    package func tell(_ control: CameraControl, asJSON isJSON: Bool) throws(OutputError) {
        if isJSON { return write(control.event) }
        try OutputWriter.standardOutput.write(TerminalText.cleaned(control.line) + "\n")
    }
}
