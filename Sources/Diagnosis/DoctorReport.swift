package import CommandCore

/// What `doctor` tells, and how it ends.
package enum DoctorReport {
    /// A line for each check, and below it what mends it; or an event for each.
    ///
    /// - Returns: Success where nothing is missing.
    /// - Throws: ``OutputError`` when standard output takes no more.
    package static func tell(
        _ checks: [Check], json: Bool, to events: EventWriter, output: OutputWriter = .standardOutput
    ) throws(OutputError) -> ExitCode {
        for check in checks {
            if json { events.write(event(check)) } else { try output.write(lines(check)) }
        }
        return checks.contains { $0.outcome == .missing } ? .unavailable : .success
    }

    static func lines(_ check: Check) -> String {
        let width = Check.Outcome.allCases.map(\.rawValue.count).max() ?? 0
        let word = check.outcome.rawValue
        let lead = word + String(repeating: " ", count: width - word.count + 2)
        let remedy = check.remedy.map { String(repeating: " ", count: width + 2) + TerminalText.cleaned($0) + "\n" }
        return lead + TerminalText.cleaned("\(check.name): \(check.text)") + "\n" + (remedy ?? "")
    }

    static func event(_ check: Check) -> Event {
        Event(
            "check", sentence: nil,
            [
                "name": .string(check.name), "outcome": .string(check.outcome.rawValue), "text": .string(check.text),
                "remedy": JSONValue(check.remedy),
            ])
    }
}
