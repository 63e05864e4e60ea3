import CLinuxShims
import CamoTypes
import Glibc

@testable import DeviceCore

extension FakeCamera {
    /// What is at a digital input.
    struct Signal: Sendable {
        /// What VIDIOC_QUERY_DV_TIMINGS says: the size, or the errno.
        var detected: Result<PixelSize, SignalFailure>
        /// What the driver is set to.
        var adopted = PixelSize(width: 0, height: 0)
    }

    struct SignalFailure: Error { var code: Int32 }

    static func answerSignal(
        _ request: UInt, _ argument: UnsafeMutableRawPointer, _ state: inout State
    ) -> Int32 {
        guard let signal = state.signal else { return ENOTTY }
        let timings = argument.assumingMemoryBound(to: v4l2_dv_timings.self)
        switch (request, signal.detected) {
        case (shim_VIDIOC_QUERY_DV_TIMINGS, .success(let size)): fill(timings, size)
        case (shim_VIDIOC_QUERY_DV_TIMINGS, .failure(let failure)): return failure.code
        case (shim_VIDIOC_G_DV_TIMINGS, _): fill(timings, signal.adopted)
        default:
            // As vb2 drivers do while buffers are allocated.
            guard !state.isStreaming else { return EBUSY }
            state.signal?.adopted = PixelSize(
                width: Int(timings.pointee.bt.width), height: Int(timings.pointee.bt.height))
        }
        return 0
    }

    private static func fill(_ timings: UnsafeMutablePointer<v4l2_dv_timings>, _ size: PixelSize) {
        timings.pointee.bt.width = UInt32(size.width)
        timings.pointee.bt.height = UInt32(size.height)
    }
}
