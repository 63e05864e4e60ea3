import CamoTypes

/// Every limit of the protocol, each with its reason. `docs/wire-protocol.md` lists them for other implementations.
package enum Limits {
    // MARK: Packets

    /// One packet with its header. A TLS record holds 16,384 bytes (RFC 8446, 5.1) and a USB transfer 16 KiB: a packet
    /// of this size with whatever wraps it is one of each.
    package static let packetByteCount = 16_000
    package static let packetPayloadByteCount = packetByteCount - PacketHeader.byteCount
    /// One access unit: sixty times the largest picture seen in practice, yet nothing that fills a small machine.
    package static let unitByteCount = 16 << 20
    /// One control message: a list of a few hundred controls of a camera takes a quarter of it.
    package static let controlByteCount = 64 << 10
    /// One coded run of sound: 4,096 samples of 8 channels of 32-bit float are 128 KiB.
    package static let audioByteCount = 128 << 10

    // MARK: Texts and lists in messages

    /// Texts for people, identifiers of cameras and controls, reasons: bytes of UTF-8.
    package static let textByteCount = 256
    package static let versionCount = 16
    package static let cameraCount = 64
    package static let controlCount = 512
    package static let menuItemCount = 256
    package static let motionSampleCount = 256
    package static let regionCount = 16
    package static let dropCauseCount = 32
    /// The newest of a producer: 150 bytes each at most.
    package static let recordingCount = 256
    package static let featureCount = 64
    /// Streams of one end that are configured and not ended: a few definitions, sound, metadata.
    package static let streamCount = 32
    /// Samples per channel in one packet of sound: from 1.3 ms to 85 ms at 48 kHz.
    package static let samplesPerPacket = 64...4_096

    /// Whole numbers in JSON: what a double holds exactly (RFC 8259, 6), so that every language can read them. As a
    /// time in microseconds it is 285 years.
    package static let integers: ClosedRange<Int64> = -(1 << 53)...(1 << 53)
    package static let counts: ClosedRange<Int64> = 0...(1 << 53)
    /// A delay may come out negative: clocks are mapped to within a round trip.
    package static let delays: ClosedRange<Int64> = -3_600_000_000...3_600_000_000

    // MARK: Sessions

    /// A TLS handshake takes milliseconds; this is for slow links and boards.
    package static let handshakeTime = Microseconds.seconds(3)
    /// From the end of the TLS handshake to `hello`, or to the proof in pairing.
    package static let helloTime = Microseconds.seconds(2)
    /// Everything that may arrive before `welcome`.
    package static let byteCountBeforeWelcome = 32 << 10
    /// How long the people at the producer may think about a request; no answer is no.
    package static let consentTime = Microseconds.seconds(30)
    /// How long a studio waits for `welcome`: the other end's time to consent, and the way there and back.
    package static let welcomeTime = Microseconds.seconds(35)
    /// All viewers of one producer; each costs a TLS link and, at worst, a share of the upstream.
    package static let viewerCount = 16
    /// Viewers with the same key: several windows of one studio, yet no room for a program that forgets to close.
    package static let viewerCountPerDevice = 4
    /// How long a session waits for a new link before it is forgotten.
    package static let sessionLinger = Microseconds.seconds(5)

    /// Requests of one studio, in all of its sessions, that wait for the camera: each may take as long as a camera takes
    /// to open, and is done even if the studio has gone meanwhile.
    package static let cameraRequestCount = 16

    // MARK: Heartbeat and clocks

    package static let pingInterval = Microseconds.seconds(1)
    /// Silence after which a second link is dialled into the same session.
    package static let silenceBeforeSecondLink = Microseconds.seconds(1)
    /// Silence after which nobody is speaking any more on the producer's loudspeaker: before the link is dead.
    package static let silenceBeforeTalkEnds = Microseconds.seconds(3)
    /// Silence after which a link is dead.
    package static let silenceBeforeDeath = Microseconds.seconds(5)
    /// The clocks' offset is that of the sample of least round trip within this time.
    package static let offsetWindow = Microseconds.seconds(10)
    /// The clocks' drift is measured over this time.
    package static let slopeWindow = Microseconds.seconds(60)

    // MARK: Pairing

    /// Longest text of a pairing code.
    package static let codeByteCount = 300
    /// A QR code of level L with this many bytes has version 6: 41 modules, 25 rows on a terminal with its margin.
    package static let codeByteCountWanted = 134
    package static let codeAddressCount = 4
    /// How long a code is good for unless the user says otherwise.
    package static let codeValidity = Microseconds.seconds(300)
    /// How long a producer tries to reach the studio of a code.
    package static let pairingTime = Microseconds.seconds(30)
    /// Each answer in pairing. Generous: the other end writes to a disk.
    package static let pairingAnswerTime = Microseconds.seconds(10)
    /// How long the people at the producer may think about a studio that is new on the cable; no answer is no.
    package static let cableConsentTime = Microseconds.seconds(60)
    /// Wrong proofs after which an address is refused for the life of the code.
    package static let wrongProofsPerAddress = 3
    /// Addresses whose wrong proofs are counted. A host has 2^64 addresses in IPv6, so the count only keeps noise
    /// down; 128 bits of secret are what keeps guessing out.
    package static let countedAddresses = 1_024
}
