import CamoTypes
import Confinement
import TransportCore

/// A coded picture's bytes, and a few back when all are there.
enum Ping {
    static let byteCount = 20_000
    static let answer = [UInt8](repeating: 1, count: 8)
}

final class PingTurn: LinkTurn, Turn {
    private var left: Int
    private var answered = Ping.answer.count
    private var times: [Microseconds] = []
    private var sentAt = MonotonicTime(microseconds: 0)
    private let picture = [UInt8](repeating: 7, count: Ping.byteCount)

    init(_ link: USBLink, count: Int) {
        left = count
        super.init(link)
    }

    func step() -> Progress {
        while true {
            if answered == Ping.answer.count {
                if sentAt.microseconds > 0 { times.append(SystemClock().now - sentAt) }
                guard left > 0 else {
                    let median = times.sorted()[times.count / 2]
                    return .done("pinged \(times.count) medianMicroseconds \(median.count)")
                }
                left -= 1
                answered = 0
                sentAt = SystemClock().now
                send(picture)
            }
            guard flush() else { return .lost(nil) }
            switch read({ answered += $0.count }) {
            case .goOn: continue
            case nil: return .goOn
            case let end?: return end
            }
        }
    }
}

final class AckTurn: LinkTurn, Turn {
    private var heard = 0

    func step() -> Progress {
        while true {
            if heard >= Ping.byteCount {
                heard -= Ping.byteCount
                send(Ping.answer)
            }
            guard flush() else { return .lost(nil) }
            switch read({ heard += $0.count }) {
            case .goOn: continue
            case nil: return .goOn
            case let end?: return end
            }
        }
    }
}
