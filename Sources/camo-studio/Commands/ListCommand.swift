import CommandCore
import StudioKit

/// `camo-studio list`: what is paired, and what is on the network now.
struct ListCommand {
    /// Answers of Avahi come within a second or so; a lost one is asked for again after another.
    private static let time = Duration.milliseconds(2_500)

    private let run: CommandRun
    init(_ run: CommandRun) { self.run = run }

    func perform() async -> ExitCode {
        let controller = run.controller(name: nil)
        let reporter = StudioReporter(run)
        controller.delegate = reporter
        defer { withExtendedLifetime(reporter) {} }
        do {
            try controller.start()
            // The first access begins the search.
            _ = controller.producers
            let waited = await run.race { try await Task.sleep(for: Self.time) }
            if case .failure(let early) = waited { return run.exitCode(for: early.ending) }
            for producer in controller.producers { try tell(producer) }
            if controller.producers.isEmpty {
                run.events.write(Event("noProducers", sentence: "No producer is paired or found"))
            }
            await controller.stop()
            return .success
        } catch OutputError.readerGone {
            return .success
        } catch {
            return run.fail(error)
        }
    }

    private func tell(_ producer: Producer) throws(OutputError) {
        let state = [producer.isPaired ? "paired" : "not paired", producer.isOnline ? "online" : "not found"]
        try run.print(
            "\(producer.id)  \(state.joined(separator: ", "))  \(producer.name)  "
                + producer.addresses.prefix(2).joined(separator: " "),
            Event(
                "producer",
                [
                    "id": .string(producer.id), "name": .string(producer.name), "paired": .bool(producer.isPaired),
                    "online": .bool(producer.isOnline),
                    "addresses": .array(producer.addresses.map { .string($0) }),
                ]))
    }
}
