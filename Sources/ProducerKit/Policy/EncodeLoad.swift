internal import MediaCore

/// What is spared where this machine is too slow for the encode: first the encoder works less hard, preset by preset,
/// then the pictures get smaller.
///
/// There is no way back while the encode lasts: what was too much once would be too much again, and each step costs a
/// keyframe. A value: how long pictures took in, a step out.
struct EncodeLoad: Sendable {
    enum Step: Hashable, Sendable {
        case preset(String)
        case definition(Definition)
    }

    /// Of the time that a picture may take, the part that the slowest may use.
    static let share = 0.8
    /// As long as this too slow is no hiccup.
    static let patience = Microseconds.seconds(Int64(2))

    /// In the order in which they are taken.
    private var steps: ArraySlice<Step>
    private var slowSince: MonotonicTime?
    /// How many pictures had come when, over the last two seconds: what the source delivers, not what was encoded.
    private var looks: [(time: MonotonicTime, arrivals: UInt64)] = []

    /// - Parameters:
    ///   - presets: Faster than the one that is used, the slowest first.
    ///   - definitions: Smaller than the one that is sent, the largest first.
    init(presets: [String], definitions: [Definition]) {
        steps = ArraySlice(presets.map(Step.preset) + definitions.map(Step.definition))
    }

    /// Looked at a few times a second.
    ///
    /// - Parameters:
    ///   - slowest: The 95th percentile of the time for a picture, since the last step; nil: not known yet.
    ///   - arrivals: How many pictures the source has delivered.
    ///   - helps: Whether a step would change anything.
    mutating func update(
        slowest: Microseconds?, arrivals: UInt64, at now: MonotonicTime, helps: (Step) -> Bool = { _ in true }
    ) -> Step? {
        looks.append((now, arrivals))
        looks.removeAll { now - $0.time > Self.patience }
        guard let slowest, let interval, slowest.inSeconds > Self.share * interval else {
            slowSince = nil
            return nil
        }
        let since = slowSince ?? now
        slowSince = since
        guard now - since >= Self.patience else { return nil }
        steps = steps.drop { !helps($0) }
        guard let step = steps.popFirst() else { return nil }
        slowSince = nil
        return step
    }

    /// Seconds from one picture to the next.
    private var interval: Double? {
        guard let first = looks.first, let last = looks.last, last.arrivals > first.arrivals else { return nil }
        return (last.time - first.time).inSeconds / Double(last.arrivals - first.arrivals)
    }
}

extension EncodeLoad.Step: CustomStringConvertible {
    /// One line for people.
    var description: String {
        switch self {
        case .preset(let preset): "this computer is too slow for the encoder's preset; \(preset) is used instead"
        case .definition(let definition): "this computer is too slow; pictures are at most \(definition.box) now"
        }
    }
}

/// What may be spared where this machine is too slow.
struct LoadRelief: Hashable, Sendable {
    var isPreset = false
    var isSize = false

    /// - Parameter settings: What the encode begins with.
    func load(_ settings: EncodeStage.Settings) -> EncodeLoad {
        let faster = X264Encoder.presets.prefix { $0 != settings.preset }.reversed()
        let smaller = Definition.allCases.filter { $0 < settings.definition }.sorted(by: >)
        return EncodeLoad(presets: isPreset ? Array(faster) : [], definitions: isSize ? smaller : [])
    }
}
