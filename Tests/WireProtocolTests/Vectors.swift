import CamoTypes
import Foundation

@testable import WireProtocol

/// Reads the files under `Vectors`.
enum Vectors {
    private struct File<Vector: Decodable>: Decodable { var vectors: [Vector] }

    static func load<Vector: Decodable>(_ name: String, as type: Vector.Type = Vector.self) throws -> [Vector] {
        let url = Bundle.module.bundleURL.appendingPathComponent("Vectors/\(name).json")
        return try JSONDecoder().decode(File<Vector>.self, from: Data(contentsOf: url)).vectors
    }

    /// Byte i of a unit in the vectors.
    static func content(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 251) } }
}

extension String {
    /// The bytes of a vector's hexadecimal digits.
    var hexadecimalBytes: [UInt8] { Hexadecimal.bytes(self)! }
}

extension PacketParser {
    mutating func append(_ bytes: some Collection<UInt8>) {
        Array(bytes).withUnsafeBytes { append($0) }
    }

    /// All packets that are whole.
    mutating func drain() throws(WireError) -> [Packet] {
        var packets: [Packet] = []
        while let packet = try next() { packets.append(packet) }
        return packets
    }
}

extension MonotonicTime {
    static func milliseconds(_ n: Int64) -> MonotonicTime { MonotonicTime(microseconds: n * 1_000) }
    static func seconds(_ n: Int64) -> MonotonicTime { MonotonicTime(microseconds: n * 1_000_000) }
}

extension DeviceID {
    /// A made-up device.
    init(test number: UInt8) { self.init(bytes: [UInt8](repeating: number, count: 32))! }
}

extension SessionID {
    init(test number: UInt8) { self.init(bytes: [UInt8](repeating: number, count: 16))! }
}
