import Dispatch
import Foundation
import TransportCore

/// The running probe. Everything but dialling happens on the main queue.
@MainActor
final class Probe {
    private let options: ProbeOptions
    private var discovery: Discovery?
    private var services: [PublishedService]
    private var publications: [PublicationID?]
    private var reached: Set<ServiceAddress> = []

    init(_ options: ProbeOptions) {
        self.options = options
        services = options.services
        publications = services.map { _ in nil }
    }

    func start() {
        if options.rounds > 0 { runRounds() }
        let discovery = Discovery(queue: .main, refresh: .seconds(options.refreshSeconds)) { event in
            MainActor.assumeIsolated { self.received(event) }
        }
        self.discovery = discovery
        for index in services.indices { publications[index] = discovery.publish(services[index]) }
        options.types.forEach(discovery.browse)
    }

    func stop() {
        let begin = ContinuousClock.now
        discovery?.stop()
        var event = ProbeEvent("stopped")
        event.seconds = begin.duration(to: .now) / .seconds(1)
        event.printed()
        exit(0)
    }

    private func received(_ event: DiscoveryEvent) {
        switch event {
        case .available: ProbeEvent("available").printed()
        case .unavailable(let message):
            var line = ProbeEvent("unavailable")
            line.message = message
            line.printed()
        case .published(let id, let name):
            var line = ProbeEvent("published")
            line.number = publications.firstIndex(of: id).map { $0 + 1 }
            line.name = name
            line.printed()
        case .publishingFailed(let id, let reason):
            var line = ProbeEvent("publishingFailed")
            line.number = publications.firstIndex(of: id).map { $0 + 1 }
            line.message = reason
            line.printed()
        case .found(let service):
            ProbeEvent("found", service).printed()
            dial(service)
        case .changed(let service):
            ProbeEvent("changed", service).printed()
            dial(service)
        case .lost(let id): ProbeEvent("lost", id).printed()
        }
        if let name = options.stopsAt, "\(event)".hasPrefix(name) { stop() }
    }

    private func runRounds() {
        var event = ProbeEvent("rounds")
        (event.descriptors, event.threads) = ([Self.count("fd")], [Self.count("task")])
        for round in 0..<options.rounds {
            let discovery = Discovery(queue: .main) { _ in }
            options.types.forEach(discovery.browse)
            let publications = services.map { discovery.publish($0) }
            // Each round is stopped a little later in its life.
            usleep(UInt32(round % 20) * 1000)
            publications.forEach(discovery.unpublish)
            discovery.stop()
        }
        event.descriptors?.append(Self.count("fd"))
        event.threads?.append(Self.count("task"))
        event.printed()
    }

    private static func count(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count) ?? -1
    }

    private func dial(_ service: BrowsedService) {
        guard options.dials else { return }
        for address in service.addresses where reached.insert(address).inserted {
            Thread.detachNewThread {
                var line = ProbeEvent("reached")
                line.address = address.description
                if let error = PlainSocket.connect(to: address.host, port: address.port) {
                    line.event = "notReached"
                    line.message = error
                }
                line.printed()
            }
        }
    }

    /// A line from stdin.
    func command(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        if words.first == "stop" { return stop() }
        guard words.count >= 2, let number = Int(words[1]), services.indices.contains(number - 1) else { return }
        let index = number - 1
        switch words[0] {
        case "unpublish":
            if let id = publications[index] { discovery?.unpublish(id) }
            publications[index] = nil
        case "publish": publications[index] = discovery?.publish(services[index])
        case "rename" where words.count == 3:
            services[index].name = words[2]
            update(index)
        case "text" where words.count == 3:
            guard let (key, value) = try? ProbeOptions.pair("text", words[2]) else { return }
            services[index].text.set(key, to: value)
            update(index)
        default: return
        }
    }

    private func update(_ index: Int) {
        if let id = publications[index] { discovery?.update(id, to: services[index]) }
    }
}
