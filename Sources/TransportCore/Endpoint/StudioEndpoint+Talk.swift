package import CamoTypes
internal import WireProtocol

/// Sound for the producer's loudspeaker, on whichever link carries the session.
extension StudioEndpoint {
    /// The stream of talk, and the numbers that were used: never again in this session.
    struct TalkStream {
        var open: (link: SessionLink, id: UInt16, format: AudioStreamFormat)?
        var nextID: UInt16 = 2
        var number: UInt32 = 0

        /// Even, and not 0, which is control.
        mutating func takeID() -> UInt16 {
            defer { nextID = nextID == UInt16.max - 1 ? 2 : nextID + 2 }
            return nextID
        }
    }

    /// Hands over coded sound; the producer has answered `talk` with `ok`. Dropped while there is no link. Any thread, one
    /// call after the other.
    package func say(_ unit: AccessUnit, as format: AudioStreamFormat) {
        guard let link = shared.withLock({ $0.activeLink })?.link else { return }
        talk.withLock { talk in
            if talk.open?.link !== link || talk.open?.format != format {
                Self.end(&talk)
                let id = talk.takeID()
                talk.open = (link, id, format)
                link.send(.streamConfiguration(StreamConfiguration(stream: id, content: .audio(format))))
            }
            guard let open = talk.open else { return }
            _ = link.send(sound: UnitSplitter(unit: unit, type: .audio, stream: open.id, number: talk.number))
            talk.number &+= 1
        }
    }

    /// Nothing more is said; what waits is not sent.
    package func endSaying() { talk.withLock { Self.end(&$0) } }

    private static func end(_ talk: inout TalkStream) {
        guard let (link, id, _) = talk.open else { return }
        talk.open = nil
        link.dropSound()
        link.send(.streamConfiguration(StreamConfiguration(stream: id, content: .ended)))
    }
}
