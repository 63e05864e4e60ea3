import CamoTypes
import Confinement
import TransportCore

/// Many bytes one way, and their sum back.
final class SendTurn: LinkTurn, Turn {
    private var left: Int
    private let byteCount: Int
    private let block = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    private let begin = SystemClock().now
    private var sum = FlowSum()
    private var answer: [UInt8] = []

    init(_ link: USBLink, byteCount: Int) {
        (left, self.byteCount) = (byteCount, byteCount)
        super.init(link)
    }

    func step() -> Progress {
        while true {
            guard sendBlocks() else { return .lost(nil) }
            guard left == 0 else { return .goOn }
            switch read({ answer.append(contentsOf: $0) }) {
            case .goOn: break
            case nil: return .goOn
            case let end?: return end
            }
            guard answer.count >= sum.bytes.count else { continue }
            let seconds = (SystemClock().now - begin).inSeconds
            let speed = (Double(byteCount) / 1e4 / seconds).rounded() / 100
            return .done("sent \(byteCount) right \(answer == sum.bytes) megabytesPerSecond \(speed)")
        }
    }

    /// Sends what fits, out of the block itself. False when the link is over.
    private func sendBlocks() -> Bool {
        block.withUnsafeBytes { block in
            while left > 0 {
                let offset = (byteCount - left) % block.count
                let rest = UnsafeRawBufferPointer(rebasing: block[offset...].prefix(left))
                switch link.write(rest) {
                case .bytes(let count):
                    sum.add(UnsafeRawBufferPointer(rebasing: rest[..<count]))
                    left -= count
                case .notYet:
                    link.notifyWhenWritable()
                    return true
                case .ended, .failed: return false
                }
            }
            return true
        }
    }
}

final class TakeTurn: LinkTurn, Turn {
    private var left: Int
    private let byteCount: Int
    private var sum = FlowSum()
    private var isAnswered = false

    init(_ link: USBLink, byteCount: Int) {
        (left, self.byteCount) = (byteCount, byteCount)
        super.init(link)
    }

    func step() -> Progress {
        while true {
            if left == 0, !isAnswered {
                isAnswered = true
                send(sum.bytes)
            }
            guard flush() else { return .lost(nil) }
            switch read({
                left -= $0.count
                sum.add($0)
            }) {
            case .goOn: continue
            case nil: return .goOn
            // The other end has the answer.
            case .lost where isAnswered: return .done("took \(byteCount)")
            case let end?: return end
            }
        }
    }
}

/// A sum of one byte in each 4 KiB of a stream: that all came, and in order, for next to nothing.
struct FlowSum {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325
    private var count = 0
    private static let step = 4_096

    /// FNV-1a (Fowler, Noll, Vo) of the bytes and of their number.
    var bytes: [UInt8] {
        withUnsafeBytes(of: (value ^ UInt64(count)).bigEndian) { Array($0) }
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var offset = (Self.step - count % Self.step) % Self.step
        while offset < bytes.count {
            value = (value ^ UInt64(bytes[offset])) &* 0x0000_0100_0000_01B3
            offset += Self.step
        }
        count += bytes.count
    }
}
