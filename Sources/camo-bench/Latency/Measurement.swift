import CommandCore

/// One side, one size, one round.
struct Measurement: Sendable {
    /// Of every picture of the window that arrived, in milliseconds.
    var delays: [Double] = []
    /// Pictures that went in during the window.
    var sent = 0
    /// Of these, how many never came out.
    var lost = 0
    /// Milliseconds of processor time for each picture.
    var senderCPU = 0.0
    var receiverCPU = 0.0
    /// Megabytes.
    var senderMemory = 0.0
    var receiverMemory = 0.0
    /// How late the driver itself was at most with a picture, in milliseconds: above a few, the machine was too busy
    /// for the figures to mean much.
    var driverLateness = 0.0

    func delay(_ percent: Double) -> Double { Statistics.percentile(delays, percent) }
}

/// The rounds of one side and size.
struct Comparison {
    let side: Side
    let size: String
    var rounds: [Measurement] = []

    func median(_ figure: (Measurement) -> Double) -> Double { Statistics.median(rounds.map(figure)) }

    static let header = [
        "size", "side", "delay p50 ms", "p95", "p99", "lost", "sender CPU ms/frame", "receiver CPU ms/frame",
        "sender MB", "receiver MB",
    ]

    var row: [String] {
        let lost = rounds.reduce(0) { $0 + $1.lost }
        let sent = rounds.reduce(0) { $0 + $1.sent }
        return [size, side.title]
            + [median { $0.delay(50) }, median { $0.delay(95) }, median { $0.delay(99) }].map(Statistics.text)
            + ["\(lost) of \(sent)"]
            + [median(\.senderCPU), median(\.receiverCPU), median(\.senderMemory), median(\.receiverMemory)]
            .map(Statistics.text)
    }

    var json: JSONValue {
        [
            "side": .string(side.rawValue), "size": .string(size),
            "delayMilliseconds": [
                "p50": .number(median { $0.delay(50) }), "p95": .number(median { $0.delay(95) }),
                "p99": .number(median { $0.delay(99) }),
            ],
            "framesSent": JSONValue(rounds.reduce(0) { $0 + $1.sent }),
            "framesLost": JSONValue(rounds.reduce(0) { $0 + $1.lost }),
            "senderCPUMillisecondsPerFrame": .number(median(\.senderCPU)),
            "receiverCPUMillisecondsPerFrame": .number(median(\.receiverCPU)),
            "senderPeakMegabytes": .number(median(\.senderMemory)),
            "receiverPeakMegabytes": .number(median(\.receiverMemory)),
            "driverLatenessMilliseconds": .number(rounds.map(\.driverLateness).max() ?? 0),
            "rounds": .array(
                rounds.map { round in
                    [
                        "delayP50Milliseconds": .number(round.delay(50)),
                        "delayP99Milliseconds": .number(round.delay(99)),
                        "senderCPUMillisecondsPerFrame": .number(round.senderCPU),
                        "receiverCPUMillisecondsPerFrame": .number(round.receiverCPU),
                    ]
                }),
        ]
    }
}
