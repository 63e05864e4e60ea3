internal import CALSA
import CamoTypes
import Confinement
import Glibc

/// The owner of an open ALSA PCM, for capture or for playback.
///
/// Unchecked: ``NegotiableSound`` allows one thread at a time, first the one that opens it, then the device's own.
final class ALSANode: SoundNode, PlaybackNode, @unchecked Sendable {
    let name: String
    let direction: SoundDirection
    private var pcm: OpaquePointer?
    private let parameters: OpaquePointer
    private let status: OpaquePointer
    private var bytesPerSample = 1
    private(set) var capacity = 0

    /// - Throws: ``DeviceError`` `.notFound`, `.permissionDenied`, `.busy` or `.failed`.
    init(_ name: String, _ direction: SoundDirection) throws(DeviceError) {
        var pcm: OpaquePointer?
        var parameters: OpaquePointer?
        var status: OpaquePointer?
        let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
        // Non-blocking: neither opening a device in use nor reading and writing waits.
        let result = ALSAChatter.caught { snd_pcm_open(&pcm, name, stream, Int32(SND_PCM_NONBLOCK)) }
        if result >= 0, let pcm, snd_pcm_hw_params_malloc(&parameters) >= 0, snd_pcm_status_malloc(&status) >= 0,
            let parameters, let status
        {
            (self.pcm, self.parameters, self.status) = (pcm, parameters, status)
            (self.name, self.direction) = (name, direction)
            return
        }
        if let parameters { snd_pcm_hw_params_free(parameters) }
        if let pcm { snd_pcm_close(pcm) }
        throw Self.openError(name, direction, result < 0 ? -result : ENOMEM)
    }

    deinit {
        close()
        snd_pcm_hw_params_free(parameters)
        snd_pcm_status_free(status)
    }

    func close() {
        guard let pcm else { return }
        self.pcm = nil
        ALSAChatter.caught {
            snd_pcm_drop(pcm)
            snd_pcm_close(pcm)
        }
    }

    // MARK: Negotiation

    func anything() throws(ALSAFailure) {
        try call { snd_pcm_hw_params_any($0, parameters) }
        // The library's own resampler is a poor one; what the hardware has is taken and resampled elsewhere.
        try call { snd_pcm_hw_params_set_rate_resample($0, parameters, 0) }
        try call { snd_pcm_hw_params_set_access($0, parameters, SND_PCM_ACCESS_RW_INTERLEAVED) }
    }

    func take(_ format: SampleFormat) throws(ALSAFailure) {
        let code =
            switch format {
            case .int16: SND_PCM_FORMAT_S16_LE
            case .int32: SND_PCM_FORMAT_S32_LE
            case .float32: SND_PCM_FORMAT_FLOAT_LE
            }
        try call { snd_pcm_hw_params_set_format($0, parameters, code) }
        bytesPerSample = format.byteCount
    }

    func takeChannels(near wish: Int) throws(ALSAFailure) -> Int {
        var channels = UInt32(clamping: wish)
        try call { snd_pcm_hw_params_set_channels_near($0, parameters, &channels) }
        bytesPerSample *= max(1, Int(channels))
        return Int(channels)
    }

    func takeRate(near wish: Int) throws(ALSAFailure) -> Int {
        var rate = UInt32(clamping: wish)
        try call { snd_pcm_hw_params_set_rate_near($0, parameters, &rate, nil) }
        return Int(rate)
    }

    func settle(period: Microseconds, buffer: Microseconds) throws(ALSAFailure) -> Int {
        var bufferTime = UInt32(clamping: buffer.count)
        var periodTime = UInt32(clamping: period.count)
        try call { snd_pcm_hw_params_set_buffer_time_near($0, parameters, &bufferTime, nil) }
        try call { snd_pcm_hw_params_set_period_time_near($0, parameters, &periodTime, nil) }
        try call { snd_pcm_hw_params($0, parameters) }
        var samples: snd_pcm_uframes_t = 0
        try call { _ in snd_pcm_hw_params_get_period_size(parameters, &samples, nil) }
        var whole: snd_pcm_uframes_t = 0
        try call { _ in snd_pcm_hw_params_get_buffer_size(parameters, &whole) }
        capacity = Int(clamping: whole)
        try setTiming(period: samples)
        return Int(clamping: samples)
    }

    private func setTiming(period: snd_pcm_uframes_t) throws(ALSAFailure) {
        var timing: OpaquePointer?
        guard snd_pcm_sw_params_malloc(&timing) >= 0, let timing else { throw ALSAFailure(ENOMEM) }
        defer { snd_pcm_sw_params_free(timing) }
        try call { snd_pcm_sw_params_current($0, timing) }
        try call { snd_pcm_sw_params_set_avail_min($0, timing, period) }
        if direction == .playback {
            // Playback begins when it is told to, not by itself with the first sample.
            var never: snd_pcm_uframes_t = 0
            try call { _ in snd_pcm_sw_params_get_boundary(timing, &never) }
            try call { snd_pcm_sw_params_set_start_threshold($0, timing, never) }
        }
        try call { snd_pcm_sw_params_set_tstamp_mode($0, timing, SND_PCM_TSTAMP_ENABLE) }
        // Not every plug-in has a clock to choose; `position` checks what comes.
        try call { pcm in
            _ = snd_pcm_sw_params_set_tstamp_type(pcm, timing, SND_PCM_TSTAMP_TYPE_MONOTONIC)
            return snd_pcm_sw_params(pcm, timing)
        }
    }

    // MARK: Abilities

    func abilities() throws(ALSAFailure) -> SoundAbilities {
        try anything()
        return try ALSAChatter.caught { () -> Result<SoundAbilities, ALSAFailure> in
            guard let pcm else { return .failure(ALSAFailure(ENODEV)) }
            return .success(
                SoundAbilities(
                    sampleRates: SoundAbilities.usualRates.filter {
                        snd_pcm_hw_params_test_rate(pcm, parameters, UInt32($0), 0) == 0
                    },
                    channels: (1...8).filter { snd_pcm_hw_params_test_channels(pcm, parameters, UInt32($0)) == 0 }))
        }.get()
    }

    // MARK: Running

    func prepare() throws(ALSAFailure) { try call { snd_pcm_prepare($0) } }
    func start() throws(ALSAFailure) { try call { snd_pcm_start($0) } }
    func resume() throws(ALSAFailure) { try call { snd_pcm_resume($0) } }

    func wait(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness {
        guard let pcm else { return .woken }
        let count = max(0, Int(snd_pcm_poll_descriptors_count(pcm)))
        var entries = [pollfd](repeating: pollfd(), count: count + 1)
        entries[count] = pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
        _ = entries.withUnsafeMutableBufferPointer {
            snd_pcm_poll_descriptors(pcm, $0.baseAddress, UInt32(clamping: count))
        }
        let result = poll(&entries, nfds_t(count + 1), PollTime.milliseconds(limit))
        if entries[count].revents != 0 { return .woken }
        guard result != 0 else { return .timedOut }
        // A plug-in may poll what is not sound; it must see its events, and says what they mean. Errors count as
        // ready: the read tells which.
        var events: UInt16 = 0
        let translated = entries.withUnsafeMutableBufferPointer {
            snd_pcm_poll_descriptors_revents(pcm, $0.baseAddress, UInt32(clamping: count), &events)
        }
        return translated == 0 && events == 0 ? .woken : .ready
    }

    func position() -> SoundPosition? {
        guard let pcm, snd_pcm_status(pcm, status) == 0 else { return nil }
        var time = snd_htimestamp_t()
        snd_pcm_status_get_htstamp(status, &time)
        let stamp = MonotonicTime(microseconds: Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000)
        return SoundPosition(
            stamp: time.tv_sec == 0 && time.tv_nsec == 0 ? nil : stamp, delay: Int(snd_pcm_status_get_delay(status)))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, samples: Int) throws(ALSAFailure) -> Int {
        guard let pcm else { throw ALSAFailure(ENODEV) }
        let room = min(samples, buffer.count / bytesPerSample)
        let count = snd_pcm_readi(pcm, buffer.baseAddress, snd_pcm_uframes_t(max(0, room)))
        if count == -Int(EAGAIN) || count == -Int(EINTR) { return 0 }
        guard count >= 0 else { throw ALSAFailure(Int32(clamping: count)) }
        return min(Int(count), room)
    }

    // MARK: Playback

    func room() throws(ALSAFailure) -> Int {
        guard let pcm else { throw ALSAFailure(ENODEV) }
        let count = snd_pcm_avail(pcm)
        guard count >= 0 else { throw ALSAFailure(Int32(clamping: count)) }
        return min(Int(count), capacity)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(ALSAFailure) -> Int {
        guard let pcm else { throw ALSAFailure(ENODEV) }
        let samples = bytes.count / bytesPerSample
        let count = snd_pcm_writei(pcm, bytes.baseAddress, snd_pcm_uframes_t(samples))
        if count == -Int(EAGAIN) || count == -Int(EINTR) { return 0 }
        guard count >= 0 else { throw ALSAFailure(Int32(clamping: count)) }
        return min(Int(count), samples)
    }

    private func call(_ body: (OpaquePointer) -> Int32) throws(ALSAFailure) {
        guard let pcm else { throw ALSAFailure(ENODEV) }
        let result = ALSAChatter.caught { body(pcm) }
        guard result >= 0 else { throw ALSAFailure(result) }
    }

    private static func openError(_ name: String, _ direction: SoundDirection, _ error: Int32) -> DeviceError {
        switch error {
        case ENOENT, ENODEV, ENXIO, ENOTTY: SoundAccess.absence(name, direction)
        case EACCES, EPERM:
            SoundAccess.refusal(name, direction)
                ?? DeviceError(.permissionDenied, device: name, "this user may not open it")
        case EBUSY, EAGAIN:
            DeviceError(
                .busy, device: name,
                "in use\(SoundAccess.holderText(direction)); close that program, or use default, which can be shared")
        case EINVAL:
            DeviceError(
                .notFound, device: name,
                "ALSA does not understand this name, or cannot open it for this; \(SoundAccess.known(direction))")
        default:
            DeviceError(.failed, device: name, systemError: error, "could not be opened")
        }
    }
}

/// The sound devices of this machine.
package struct SystemSoundNodes: SoundNodes, PlaybackNodes {
    package init() {}

    package func open(_ name: String) throws(DeviceError) -> any SoundNode { try ALSANode(name, .capture) }
    package func openPlayback(_ name: String) throws(DeviceError) -> any PlaybackNode {
        try ALSANode(name, .playback)
    }
}
