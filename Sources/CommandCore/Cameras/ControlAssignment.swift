import CamoTypes

/// `NAME=VALUE`, as people set a camera's control.
package struct ControlAssignment: Equatable, Sendable {
    package let control: String
    /// As it was typed; what it means depends on the control.
    package let text: String

    /// Nil when there is no name or no equals sign.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        control = String(parts[0])
        self.text = String(parts[1])
    }

    /// The number to set.
    ///
    /// - Returns: Nil where there is no such control: whoever sets it says what there is.
    /// - Throws: ``UsageError`` when the text is no value for the control.
    package func value(among controls: [CameraControl]) throws(UsageError) -> Int64? {
        guard let known = controls.first(where: { $0.id == control }) else { return nil }
        guard let value = known.value(of: text), known.accepts(value) else {
            throw UsageError("\(control) takes \(known.expectation), not '\(TerminalText.cleaned(text))'")
        }
        return value
    }
}

extension [ControlAssignment] {
    /// What to set, one after the other. All are looked at before the first is set: what is wrong with one leaves the
    /// camera as it is.
    ///
    /// - Returns: Those that the camera does not have come first, with no value that matters: setting the first of them
    ///   fails, and says what there is.
    /// - Throws: ``UsageError`` when a text is no value for its control.
    package func values(among controls: [CameraControl]) throws(UsageError) -> [(control: String, value: Int64)] {
        var (unknown, known) = ([(control: String, value: Int64)](), [(control: String, value: Int64)]())
        for assignment in self {
            if let value = try assignment.value(among: controls) {
                known.append((assignment.control, value))
            } else {
                unknown.append((assignment.control, 0))
            }
        }
        return unknown + known
    }
}

extension ValueKind where Value == String {
    /// `brightness=128`, `focus_automatic_continuous=off`.
    package static var controlAssignment: ValueKind {
        ValueKind(placeholder: "NAME=VALUE", expectation: "a control and a value, such as brightness=128") {
            $0.utf8.count <= 4096 && ControlAssignment($0) != nil ? $0 : nil
        }
    }
}
