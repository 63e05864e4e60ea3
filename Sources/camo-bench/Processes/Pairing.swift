import FoundationEssentials
import Glibc

/// Two fresh installations of ours, paired by the commands that people use.
struct Pairing {
    let producerState: String
    let studioState: String

    /// - Parameter studio: Its folder's name; a second one pairs another studio with the same producer.
    init(programs: String, folder: String, studio name: String = "studio") throws(BenchError) {
        producerState = folder + "/producer"
        studioState = folder + "/" + name
        let studio = try Child(
            [programs + "/camo-studio", "pair", "--json", "--state-dir", studioState], givesOutput: true,
            log: folder + "/studio-pair.log")
        let code = try Self.code(from: studio)
        let producer = try Child(
            [programs + "/camo-producer", "pair", code, "--state-dir", producerState],
            log: folder + "/producer-pair.log")
        for child in [producer, studio] {
            let status = child.wait(milliseconds: 35_000)
            guard status == 0 else {
                throw BenchError("pairing: \(child.name) ended with \(status ?? -1)\(child.lastWords)")
            }
        }
    }

    private struct PairingEvent: Decodable {
        var event: String
        var payload: String?
    }

    /// The payload of the first event "pairing".
    private static func code(from studio: Child) throws(BenchError) -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(studio.output, &byte, 1) == 1 {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            if let event = try? JSONDecoder().decode(PairingEvent.self, from: Data(line)), event.event == "pairing",
                let payload = event.payload
            {
                return payload
            }
            line = []
        }
        throw BenchError("\(studio.name) showed no code\(studio.lastWords)")
    }
}
