/// One thing that the programs need, and how it stands on this machine.
package struct Check: Hashable, Sendable {
    package enum Outcome: String, CaseIterable, Hashable, Sendable {
        case ok
        /// It works, but not as well as it could, or something that is only sometimes needed is not there.
        case warning
        /// What needs it will not work.
        case missing
    }

    /// `cameras`, `avahi`: the same word in every version, for programs.
    package var name: String
    package var outcome: Outcome
    /// What was found, in one line.
    package var text: String
    /// What mends it: a command where there is one.
    package var remedy: String?

    package init(_ name: String, _ outcome: Outcome, _ text: String, remedy: String? = nil) {
        self.name = name
        self.outcome = outcome
        self.text = text
        self.remedy = remedy
    }
}
