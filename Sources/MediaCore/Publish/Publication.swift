package import CamoTypes
internal import Confinement

/// One connection to a media server, and the stream in it: H.264 as it was encoded, sound as AAC, from time 0 on.
///
/// Calls block on the network as long as its ``Interruption`` allows; no error that is thrown holds the address, nor does
/// what libavformat logs meanwhile reach anybody. Not thread-safe: it lives on one thread.
package final class Publication {
    /// How far silence stays behind the picture where no sound comes: less than a player waits for.
    private static let soundPatience = Microseconds.milliseconds(500)

    private let kind: PublishingProtocol
    private let url: String
    private let hasSound: Bool
    private let interruption: Interruption
    private var output: ServerOutput?
    private var muxer: Muxer?
    private var sound: SoundTrack?
    private var timeline = LiveTimeline()
    private var parameterSets: [UInt8] = []

    /// Connects; by RTSP not before the first picture, unless `keyframe` is there.
    ///
    /// - Parameters:
    ///   - url: Of the protocol `kind`; secret.
    ///   - hasSound: With a track of sound, which is silent while none comes.
    ///   - keyframe: Such as were sent to the server before, which RTSP tells it of what will come.
    package init(
        to url: String, _ kind: PublishingProtocol, hasSound: Bool, like keyframe: AccessUnit? = nil,
        interruption: Interruption
    ) throws(MediaError) {
        self.kind = kind
        self.url = url
        self.hasSound = hasSound
        self.interruption = interruption
        try interruptibly { () throws(MediaError) in
            if !kind.hasOwnConnection {
                output = try ServerOutput(url: url, options: kind.connectionOptions, interruption: interruption)
            } else if let sets = keyframe.flatMap({ ParameterSets($0) }) {
                try begin(sets)
            }
        }
    }

    /// Ends the stream, as far as there is time for that.
    deinit {
        MediaLog.silently {
            try? muxer?.finish()
            muxer = nil
            output = nil
        }
    }

    /// - Returns: False: it begins with a keyframe, which this is not.
    package func write(picture unit: AccessUnit) throws(MediaError) -> Bool {
        try interruptibly { () throws(MediaError) in
            let sets = ParameterSets(unit)
            if muxer == nil, let sets { try begin(sets) }
            guard let muxer else { return false }
            let ticks = timeline.ticks(unit)
            var new: [UInt8]?
            if let sets, sets.bytes != parameterSets {
                parameterSets = sets.bytes
                new = sets.bytes
            }
            try muxer.write(
                picture: unit.bytes, ticks: ticks, duration: Muxer.pictureTicks / 30, isKeyframe: unit.isKeyframe,
                newParameterSets: new)
            if let sound { try write(sound.pictureReached(Microseconds(ticks * 100 / 9))) }
            try muxer.cut()
            return true
        }
    }

    /// - Parameter frame: In the standard format, with its time. Nothing happens before the first picture.
    package func write(sound frame: AudioFrame) throws(MediaError) {
        try interruptibly { () throws(MediaError) in
            guard let sound, let muxer, let time = frame.presentationTime else { return }
            try write(sound.append(frame, at: time - timeline.start))
            try muxer.cut()
        }
    }

    private func begin(_ sets: ParameterSets) throws(MediaError) {
        let sound = hasSound ? try SoundTrack(patience: Self.soundPatience) : nil
        let destination: Muxer.Destination =
            if let output { .bytes { output.write($0) } } else { .server(url: url, interruption) }
        muxer = try Muxer(
            format: kind.format, parameters: sets.sequence, parameterSets: sets.bytes, sound: sound?.encoder,
            options: kind.formatOptions, to: destination)
        self.sound = sound
        parameterSets = sets.bytes
    }

    private func write(_ coded: [AACEncoder.Coded]) throws(MediaError) {
        for packet in coded { try muxer?.write(sound: packet) }
    }

    /// In silence, and with the reason where the time was over.
    private func interruptibly<R>(_ body: () throws(MediaError) -> R) throws(MediaError) -> R {
        do throws(MediaError) {
            return try MediaLog.silently(body)
        } catch {
            throw interruption.isDue ? MediaError(.io, "the server does not answer") : error.explained(for: kind)
        }
    }
}

extension MediaError {
    /// libavformat says no more than that it did not work.
    fileprivate func explained(for kind: PublishingProtocol) -> MediaError {
        let remark: String? =
            switch kind {
            case .srt: "nobody listens there, or for another passphrase or stream ID"
            case .rtmps: "nobody listens there, or with a certificate that this computer does not trust"
            case .rtmp, .rtsp, .udp: nil
            }
        guard let remark, code == .io, description.hasPrefix("cannot connect") else { return self }
        return MediaError(.io, "\(description); \(remark)")
    }
}
