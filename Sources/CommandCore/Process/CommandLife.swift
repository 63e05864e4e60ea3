internal import Confinement
import Dispatch
import Glibc

/// Why a command ends: what any command may end for, and the program's own reasons beside.
package protocol CommandEnding: Sendable {
    static func signal(_ number: Int32) -> Self
    /// Nothing can be told any more: whoever read standard output has gone, or its disk is full.
    static var readerGone: Self { get }
}

/// Where a command tells what happens, and what may end it: the first reason counts. One for each process.
///
/// A command that was told to end by a signal is gone within two seconds, whatever hangs.
package final class CommandLife<Ending: CommandEnding>: Sendable {
    package let events: EventWriter
    private let first = FirstValue<Ending>()
    private let signals: SignalWatcher

    /// - Parameter isOutputTaken: Standard output carries data: events go to standard error.
    package init(program: String, options: GlobalOptions, isOutputTaken: Bool = false) {
        let first = first
        let patience = DispatchTimeInterval.milliseconds(1_900)
        let events = EventWriter(program: program, options: options, isOutputTaken: isOutputTaken) {
            first.set(.readerGone)
        }
        self.events = events
        signals = SignalWatcher { number in
            first.set(.signal(number))
            DispatchQueue(label: "last words").asyncAfter(deadline: .now() + patience) {
                events.write(.error("something did not end in time and was left behind"))
            }
            // On a queue of its own: standard error may be what hangs.
            DispatchQueue(label: "end").asyncAfter(deadline: .now() + patience + .milliseconds(50)) {
                _exit(SignalWatcher.exitCode(for: number).rawValue)
            }
        }
    }

    package func end(_ ending: Ending) { first.set(ending) }

    /// Waits for something that ends the command.
    package func ending() async -> Ending { await first.wait() ?? .readerGone }
}
