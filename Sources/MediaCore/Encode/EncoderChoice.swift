package import Confinement

/// Opens the first encoder of several that does on this machine what an encoder must, and says in one line why another
/// is not used. One for all encodes of a producer: what one has found out the others need not.
///
/// The last one is taken whatever it does: what is wrong with it is thrown. One that fails is not tried again. Any
/// thread; a trial is waited for by those who want to open an encoder meanwhile.
package final class EncoderChoice: Sendable {
    private struct State {
        /// Those that are left, the preferred first.
        var kinds: [EncoderKind]
        /// What the first has passed a trial for.
        var passed: Set<VideoEncoderSettings> = []
    }

    private let state: Locked<State>
    private let clock: any MonotonicClock
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - first: The preferred one.
    ///   - others: In the order in which they take its place.
    ///   - report: One line for people, on the thread that opens.
    package init(
        _ first: EncoderKind = .x264, _ others: [EncoderKind] = [], clock: any MonotonicClock = SystemClock(),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        state = Locked(State(kinds: [first] + others))
        (self.clock, self.report) = (clock, report)
    }

    /// What `--encoder` calls the one that is used, as far as is known now.
    package var name: String { state.withLock { $0.kinds[0].name } }

    /// Takes a fraction of a second where an encoder has to be tried.
    package func open(_ settings: VideoEncoderSettings) throws(MediaError) -> (any VideoEncoder, EncoderKind) {
        while true {
            let kind = try tried(settings)
            do throws(MediaError) {
                return (try kind.open(settings), kind)
            } catch {
                guard hasFailed(kind, error) else { throw error }
            }
        }
    }

    /// Tries what has to be tried, so that ``open(_:)`` finds it done. Opens nothing where nothing has to.
    package func prepare(_ settings: VideoEncoderSettings) { _ = try? tried(settings) }

    /// `kind` has failed, when it was opened or while it ran. True where another takes its place.
    package func hasFailed(_ kind: EncoderKind, _ error: MediaError) -> Bool {
        state.withLock { state in
            // Another encode has found it out already.
            guard state.kinds[0].name == kind.name else { return true }
            return kind.needsTrial && giveUpFirst(error, &state)
        }
    }

    /// The first that has passed its trial for `settings`, or needs none.
    private func tried(_ settings: VideoEncoderSettings) throws(MediaError) -> EncoderKind {
        try state.withLock { (state) throws(MediaError) in
            // The rate changes with the link; what a driver can do does not.
            var key = settings
            key.bitsPerSecond = 0
            while state.kinds[0].needsTrial, !state.passed.contains(key) {
                do throws(MediaError) {
                    try EncoderTrial.run(state.kinds[0], settings, clock: clock)
                    state.passed.insert(key)
                } catch {
                    guard giveUpFirst(error, &state) else { throw error }
                }
            }
            return state.kinds[0]
        }
    }

    private func giveUpFirst(_ error: MediaError, _ state: inout State) -> Bool {
        guard state.kinds.count > 1 else { return false }
        let first = state.kinds.removeFirst()
        state.passed = []
        report("\(first.name) is not used: \(error.description); \(state.kinds[0].name) is")
        return true
    }
}
