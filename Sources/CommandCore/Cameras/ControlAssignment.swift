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

    /// The torch, whichever controls a camera has for it.
    private static let torch = "torch"

    /// What it sets, one after the other.
    ///
    /// - Returns: Nothing where there is no such control: whoever sets it says what there is.
    /// - Throws: ``UsageError`` when the text is no value for the control.
    package func settings(among controls: [CameraControl]) throws(UsageError) -> [CameraLamp.Setting] {
        if let value = try value(among: controls) { return [CameraLamp.Setting(control, value)] }
        guard control == Self.torch, let lamp = CameraLamp(controls), lamp.hasTorch else { return [] }
        let percent = ["on": 100, "off": 0][text.lowercased()] ?? Int(text)
        guard let percent, (0...100).contains(percent) else {
            throw UsageError("torch takes on, off or 0 to 100, not '\(TerminalText.cleaned(text))'")
        }
        return lamp.settings(torch: Double(percent) / 100)
    }

    private func value(among controls: [CameraControl]) throws(UsageError) -> Int64? {
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
            let settings = try assignment.settings(among: controls)
            if settings.isEmpty { unknown.append((assignment.control, 0)) }
            known += settings.map { ($0.control, $0.value) }
        }
        return unknown + known
    }

    /// Those of the controls that are set by these; all of them where nothing is set.
    package func shown(of controls: [CameraControl]) -> [CameraControl] {
        guard !isEmpty, let named = try? values(among: controls).map(\.control) else { return controls }
        return controls.filter { named.contains($0.id) }
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
