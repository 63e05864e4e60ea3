import CamoTypes
import Foundation
import Testing

@testable import WireProtocol

/// `docs/wire-protocol.md` says what the code does: names, drawings, examples.
@Suite struct DocumentTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test func everyMessageIsDescribed() throws {
        let headings = try text("docs/wire-protocol.md").split(separator: "\n").filter { $0.hasPrefix("### ") }
        for name in ControlMessage.names {
            #expect(headings.contains { $0.contains("`\(name)`") }, "\(name)")
        }
    }

    @Test func theDrawingsAreThoseAboveTheCode() throws {
        let document = try text("docs/wire-protocol.md")
        for (file, lineCount) in [("PacketHeader", 10), ("UnitHeader", 5)] {
            let source = try text("Sources/WireProtocol/Packets/\(file).swift")
            let drawing = source.split(separator: "\n")
                .filter { ["/// +", "/// |", "///  "].contains(String($0.prefix(5))) }.map { $0.dropFirst(4) }
            #expect(drawing.count == lineCount)
            #expect(document.contains("```\n" + drawing.joined(separator: "\n") + "\n```"), "\(file)")
        }
    }

    @Test func everyExampleIsAMessageThatIsWrittenAsItStands() throws {
        let lines = try text("docs/wire-protocol.md").split(separator: "\n").filter { $0.hasPrefix("{\"message\"") }
        var names: Set<String> = []
        for line in lines {
            let message = try #require(try ControlMessage.decode(Array(line.utf8)), "\(line)")
            names.insert(message.name)
            let written = try JSONSerialization.jsonObject(with: Data(message.encoded())) as? NSDictionary
            let example = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary
            // `subscribe` shows that keys may be left out.
            if message.name != "subscribe" { #expect(written == example, "\(line)") }
        }
        #expect(names == Set(ControlMessage.names))
    }

    @Test func everyReasonIsListed() throws {
        let document = try text("docs/wire-protocol.md")
        let reasons: [Goodbye.Reason] = [
            .stopping, .ended, .moved, .full, .refused, .unpaired, .unsupportedVersion, .wrongRole, .protocolError,
            .timeout, .pairingRefused, .codeExpired, .codeUsed, .storeFailed, .cancelled,
        ]
        for reason in reasons { #expect(document.contains("`\(reason.rawValue)`"), "\(reason.rawValue)") }
    }
}
