internal import DeviceCore

/// Studios that speak here.
extension ProducerController {
    /// The loudspeaker on which studios may speak, one at a time, if the delegate agrees: what ALSA calls it, such as
    /// `default`, or an ID or name of the list of devices; nil: none may. It is opened when one begins and closed when it
    /// has ended. May be changed while running: whoever speaks then is cut off, and studios are told whether there is any.
    public var speaker: String? {
        get { speakerDevice.withLock { $0 } }
        set {
            speakerDevice.withLock { device in
                device = newValue
                service?.setSpeaker(newValue)
            }
        }
    }

    /// The studio that speaks now.
    public var talker: Peer? { service?.talkBack.talker }

    /// Cuts off the studio that speaks, which is told; it may ask again.
    public func endTalk() { service?.talkBack.end("it was ended at the producer") }

    /// One line for people where there is no such loudspeaker now: a name that was mistyped is to be seen before anybody
    /// speaks. Nil where there is, whatever else may hinder its opening then.
    package var speakerAbsence: String? {
        guard let speaker else { return nil }
        do throws(DeviceError) {
            _ = try SoundDevice.find(speaker, .playback).abilities(.playback)
            return nil
        } catch {
            return error.code == .notFound ? "no talk-back yet: \(error); it is used as soon as it is there" : nil
        }
    }

    func talkDidBegin(_ peer: Peer) { calls.call { [self] in $0.producerController(self, didBeginTalkFrom: peer) } }

    func talkDidEnd(_ peer: Peer, _ reason: String?) {
        calls.call { [self] in $0.producerController(self, didEndTalkFrom: peer, reason: reason) }
    }
}
