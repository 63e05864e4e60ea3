import CommandCore
import StudioKit

/// Once a second: the status line, and statistics where they are wanted, drawn in a terminal and told elsewhere.
struct RunningStatistics: Sendable {
    private let run: CommandRun
    /// `--stats`.
    private let isTold: Bool

    init(_ run: CommandRun, isTold: Bool) {
        self.run = run
        self.isTold = isTold
    }

    /// Until the task is cancelled.
    ///
    /// - Parameters:
    ///   - controller: Whose.
    ///   - outputs: They have some, too.
    ///   - prefix: What the status line begins with after the producer's name.
    func follow(
        _ controller: StudioController, _ outputs: WatchOutputs, prefix: @Sendable () -> String = { "" }
    ) async {
        var panel = StatisticsPanel()
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            guard !Task.isCancelled, case .connected(let connection) = controller.state else { continue }
            let statistics = controller.statistics
            if isTold, run.events.hasStatus {
                let lines = panel.draw(connection.peer.name, statistics, outputs: outputs.events.compactMap(\.sentence))
                run.events.status(lines)
                continue
            }
            if isTold {
                for event in [statistics.event] + outputs.events { run.events.write(event) }
            }
            run.events.status("\(connection.peer.name): \(prefix())\(statistics.text)")
        }
    }
}
