import CamoTypes
import Glibc

/// What a sound device has agreed to.
package struct SoundAgreement: Hashable, Sendable {
    package var format: AudioFormat
    /// Samples per channel that come at a time.
    package var period: Int
}

extension NegotiableSound {
    /// Agrees on a format near `wish`, with short periods and a long buffer.
    ///
    /// - Parameter buffer: Of capture, how long this process may be held up before samples are lost; of playback, how
    ///   much can be written ahead.
    /// - Throws: ``DeviceError`` `.unsupported` when the device has nothing that ``AudioFormat`` can say, else as
    ///   ``failure(_:_:)``.
    func negotiate(
        _ wish: AudioFormat, buffer: Microseconds = .milliseconds(500)
    ) throws(DeviceError) -> SoundAgreement {
        let agreement: SoundAgreement
        do throws(ALSAFailure) {
            try anything()
            let sampleFormat = try takeFormat(near: wish.sampleFormat)
            let channels = try takeChannels(near: wish.channels)
            let rate = try takeRate(near: wish.sampleRate)
            let format = AudioFormat(sampleRate: rate, channels: channels, sampleFormat: sampleFormat)
            // Refused before it is settled, so that the device can be asked again in another way.
            guard format.isSupported else { throw ALSAFailure(EINVAL) }
            let period = try settle(period: .milliseconds(10), buffer: buffer)
            agreement = SoundAgreement(format: format, period: max(1, period))
        } catch {
            throw failure(error, "could not be set up")
        }
        return agreement
    }

    /// The sample format itself, or the one that loses least.
    private func takeFormat(near wish: SampleFormat) throws(ALSAFailure) -> SampleFormat {
        for format in [wish, .float32, .int32] {
            do throws(ALSAFailure) {
                try take(format)
                return format
            } catch  where error.code == EINVAL {
                continue
            }
        }
        try take(.int16)
        return .int16
    }

    /// The error for a call that the library refused.
    func failure(_ failure: ALSAFailure, _ what: String) -> DeviceError {
        switch failure.code {
        case ENOENT, ENXIO:
            return SoundAccess.absence(name, direction)
        case EINVAL:
            let lack =
                direction == .capture
                ? "offers no sound in a form that can be taken" : "takes no sound in a form that can be made"
            return DeviceError(.unsupported, device: name, lack + ": 16 or 32 bit, 1 to 8 channels, 8 to 192 kHz")
        case EBUSY, EAGAIN:
            return DeviceError(
                .busy, device: name,
                "in use\(SoundAccess.holderText(direction)); close that program, or use default, which can be shared")
        case EACCES, EPERM:
            return SoundAccess.refusal(name, direction)
                ?? DeviceError(.permissionDenied, device: name, "this user may not open it")
        case ENODEV, EBADFD:
            return DeviceError(.disconnected, device: name, systemError: failure.code, "the sound device has gone")
        default:
            return DeviceError(.failed, device: name, systemError: failure.code, what)
        }
    }
}
