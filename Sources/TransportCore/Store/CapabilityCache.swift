package import CamoTypes
internal import FoundationEssentials
package import WireProtocol

/// What each producer could do when it was connected last: a file in the state directory, for when it is away.
///
/// A file that is damaged, or cannot be written, costs nothing but the memory.
package final class CapabilityCache: Sendable {
    private static let name = "capabilities.json"
    /// A producer says at most 64 KiB of itself, and mostly some hundred bytes.
    private static let mostBytes = 1 << 20

    /// A program that ends waits for it.
    private static let patienceMilliseconds = 500

    private let directory: StateDirectory

    package init(in directory: StateDirectory) { self.directory = directory }

    /// Nil: never connected, or not known any more.
    package func capabilities(of device: DeviceID) -> Capabilities? { read()[device.hexadecimal] }

    /// Keeps what a paired producer has said of itself; forgets whoever is not among `paired`.
    package func remember(_ capabilities: Capabilities, of device: DeviceID, paired: [DeviceID]) {
        guard let lock = try? directory.lock(patienceMilliseconds: Self.patienceMilliseconds) else { return }
        defer { withExtendedLifetime(lock) {} }
        let known = read()
        let names = Set(paired.map(\.hexadecimal))
        var wanted = known.filter { names.contains($0.key) }
        wanted[device.hexadecimal] = names.contains(device.hexadecimal) ? capabilities : nil
        guard wanted != known else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let bytes = try? encoder.encode(wanted) else { return }
        do throws(TransportError) {
            try directory.file(Self.name).replace(with: Array(bytes))
        } catch {
            directory.report(error.message)
        }
    }

    private func read() -> [String: Capabilities] {
        guard let bytes = (try? directory.file(Self.name).read(atMost: Self.mostBytes)) ?? nil,
            bytes.count <= Self.mostBytes
        else { return [:] }
        return (try? JSONDecoder().decode([String: Capabilities].self, from: Data(bytes))) ?? [:]
    }
}
