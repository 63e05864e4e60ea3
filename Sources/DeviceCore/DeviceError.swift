/// What went wrong with a camera or a sound device. The text says what happened, to what, and what to do.
package struct DeviceError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// There is no such device, or no device at all.
        case notFound
        /// The device is there, but this user may not open it.
        case permissionDenied
        /// Another program uses it.
        case busy
        /// It exists, but it is not something that pictures or sound can be captured from.
        case notACaptureDevice
        /// It exists, but it is nothing that pictures can be put into.
        case notAnOutputDevice
        /// It captures or takes pictures or sound, but in no form that is understood here.
        case unsupported
        /// It was pulled out, its driver let go of it, or it failed for good.
        case disconnected
        /// It is there, but nothing has come from it for the time allowed.
        case stalled
        /// The camera has no such control.
        case noSuchControl
        /// A control does not take this value.
        case outOfRange
        /// The control is there, but it can only be read, or something else sees to it now.
        case notSettable
        /// A call failed in a way that none of the above describes.
        case failed
    }

    package let code: Code
    /// The node or PCM name: `/dev/video0`, `hw:CARD=Loopback,DEV=1`. Empty where there is none to speak of.
    package let device: String
    /// What the system said (errno(3)), where it said something.
    package let systemError: Int32?
    private let explanation: String

    package init(_ code: Code, device: String, systemError: Int32? = nil, _ explanation: String) {
        self.code = code
        self.device = device
        self.systemError = systemError
        self.explanation = explanation
    }

    package var description: String {
        let reason = systemError.map { " (\(SystemText.message($0)))" } ?? ""
        return (device.isEmpty ? "" : "\(device): ") + explanation + reason
    }
}
