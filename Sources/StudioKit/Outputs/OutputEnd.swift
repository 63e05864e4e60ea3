/// How an output ended.
package enum OutputEnd: Hashable, Sendable {
    /// It was told to, and has written what it had.
    case finished
    /// Whoever read it has gone.
    case readerGone
    case failed(StudioError)
}
