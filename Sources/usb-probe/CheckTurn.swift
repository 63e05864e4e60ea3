import CamoTypes
import Confinement
import TransportCore

/// Messages of all awkward lengths to an echo, each sent when the last one is back.
final class CheckTurn: LinkTurn, Turn {
    private var edges: [Int]
    private var randomLeft: Int
    private var message: [UInt8] = []
    private var back: [UInt8] = []
    private var isBegun = false
    private var wrong = 0
    private var total = 0
    private var slowest = Microseconds(0)
    private var sentAt = MonotonicTime(microseconds: 0)

    init(_ link: USBLink, count: Int) {
        edges = [64, 512, 1_024, 2_048, 16 << 10, 32 << 10, 64 << 10].flatMap { Array($0 - 4...$0 + 4) }
        randomLeft = count
        super.init(link)
    }

    func step() -> Progress {
        while true {
            if back.count >= message.count {
                if isBegun { judge() }
                guard let length = nextLength() else {
                    return .done("checked \(total) wrong \(wrong) slowestMicroseconds \(slowest.count)")
                }
                begin(length)
            }
            guard flush() else { return .lost(nil) }
            switch read({ back.append(contentsOf: $0) }) {
            case .goOn: continue
            case nil: return .goOn
            case let end?: return end
            }
        }
    }

    private func nextLength() -> Int? {
        if let edge = edges.popLast() { return edge }
        guard randomLeft > 0 else { return nil }
        randomLeft -= 1
        return Int.random(in: 1...2_100)
    }

    private func begin(_ length: Int) {
        isBegun = true
        message = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ total) }
        back.removeAll(keepingCapacity: true)
        sentAt = SystemClock().now
        send(message)
    }

    private func judge() {
        total += 1
        if back != message { wrong += 1 }
        slowest = max(slowest, SystemClock().now - sentAt)
    }
}
