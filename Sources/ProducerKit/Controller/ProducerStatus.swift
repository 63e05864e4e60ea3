internal import Confinement
internal import Foundation
internal import Glibc
internal import TransportCore

/// How a producer is doing, for `camo-producer status` in another process.
package struct ProducerStatus: Codable, Hashable, Sendable {
    package struct Studio: Codable, Hashable, Sendable {
        package var name: String
        /// `tcp`, `usb`.
        package var transport: String
        package var address: String
    }

    package var processID: Int32
    package var name: String
    package var sources: [String]
    /// TCP; 0: none.
    package var port: UInt16
    package var isPaused: Bool
    package var studios: [Studio]
    /// Media servers, without their keys and passwords, that get the stream now.
    package var servers: [String]
    /// Sent or passed on since it was started.
    package var pictures: UInt64
    package var droppedPictures: UInt64
    package var bitsPerSecond: Int
    package var encodeMilliseconds: Double?

    private enum CodingKeys: String, CodingKey {
        case processID = "process"
        case name, sources, port
        case isPaused = "paused"
        case studios, servers, pictures, droppedPictures, bitsPerSecond, encodeMilliseconds
    }

    /// Those of an installation that run now, in whatever program.
    ///
    /// - Parameters:
    ///   - stateDirectory: Nil: the standard one.
    ///   - report: Told what is wrong with that.
    /// - Throws: ``ProducerError`` `stateUnusable`.
    package static func running(
        in stateDirectory: String?, report: @escaping @Sendable (String) -> Void
    ) throws(ProducerError) -> [ProducerStatus] {
        do throws(TransportError) {
            let directory = try StateDirectory(chosen: stateDirectory, program: "camo-producer", report: report)
            return LocalPost.answers(in: directory).compactMap { try? JSONDecoder().decode(Self.self, from: Data($0)) }
        } catch {
            throw ProducerError(error)
        }
    }
}

extension ProducerController {
    var status: ProducerStatus {
        let statistics = statistics
        return ProducerStatus(
            processID: getpid(), name: deviceName, sources: sources.map(\.name), port: port, isPaused: isPaused,
            studios: connections.map {
                ProducerStatus.Studio(
                    name: $0.peer.name, transport: $0.peer.transport.rawValue, address: $0.peer.address)
            },
            servers: publications.filter { $0.value == .live }.map { "\($0.key)" }.sorted(),
            pictures: statistics.encodedPictures + statistics.passedPictures,
            droppedPictures: statistics.drops.values.reduce(0, +), bitsPerSecond: statistics.bitsPerSecond,
            encodeMilliseconds: statistics.encodeTime.map { Double($0.count) / 1_000 })
    }

    /// Answers those who ask how it is doing, until it is stopped. Where it can't, nothing else is the worse for it.
    func postStatus(in directory: StateDirectory) {
        let queue = DispatchQueue(label: "status", qos: .utility)
        let made = try? LocalPost(in: directory, on: queue) { [weak self] in
            guard let status = self?.status, let text = try? JSONEncoder().encode(status) else { return [] }
            return Array(text)
        }
        post.withLock { $0 = made }
    }
}
