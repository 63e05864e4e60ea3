/// An output that has a thread of its own and something to finish.
package protocol EndableOutput: StudioOutput {
    /// Does what waits, for at most so long, and ends; what hangs then is left behind.
    func finish(within limit: Microseconds) async
}

extension RawPictureOutput: EndableOutput {}
extension UnitStreamOutput: EndableOutput {}
extension TransportStreamOutput: EndableOutput {}
extension VirtualCameraOutput: EndableOutput {}
