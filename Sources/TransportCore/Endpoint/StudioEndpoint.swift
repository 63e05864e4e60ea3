package import CamoTypes
package import Confinement
internal import Dispatch
package import WireProtocol

/// What a studio's endpoint works for. Calls come on links' queues and the endpoint's own: return soon.
package protocol StudioEndpointDelegate: AnyObject, Sendable {
    func studioEndpoint(_ endpoint: StudioEndpoint, didChangeTo state: StudioEndpointState)
    func studioEndpoint(_ endpoint: StudioEndpoint, didWelcome capabilities: Capabilities)
    /// Pictures of `stream` come from now on; those of the stream before it don't.
    func studioEndpoint(_ endpoint: StudioEndpoint, didBeginPicture format: VideoStreamFormat, stream: UInt16)
    func studioEndpoint(_ endpoint: StudioEndpoint, didReceivePicture unit: ReceivedUnit, stream: UInt16)
    func studioEndpoint(_ endpoint: StudioEndpoint, didBeginSound format: AudioStreamFormat, stream: UInt16)
    func studioEndpoint(_ endpoint: StudioEndpoint, didReceiveSound unit: ReceivedUnit, stream: UInt16)
    func studioEndpoint(_ endpoint: StudioEndpoint, didEndStream stream: UInt16)
    /// Messages that the endpoint has no use for itself: statistics, changes of definition, mute, controls.
    func studioEndpoint(_ endpoint: StudioEndpoint, didReceive message: ControlMessage)
    /// A producer at the other end of a cable has agreed, and is stored here. By default nothing happens.
    func studioEndpoint(_ endpoint: StudioEndpoint, didPairWith producer: PairedDevice)
    func studioEndpoint(_ endpoint: StudioEndpoint, didReport notice: EndpointNotice)
}

extension StudioEndpointDelegate {
    package func studioEndpoint(_ endpoint: StudioEndpoint, didPairWith producer: PairedDevice) {}
}

/// The studio's side of the network: reaches a producer, keeps the session over links that come and go, and hands on
/// what arrives.
///
/// It keeps at it until told to stop: reconnects from a quarter of a second up to five, and dials a second link into
/// the same session after a second of silence.
package final class StudioEndpoint: Sendable {
    let identity: Identity
    let store: PairedDeviceStore
    let name: String
    let product: String
    let clock: any MonotonicClock
    let delegate: any StudioEndpointDelegate
    /// Which cables are served, and where the FunctionFS of a gadget is mounted.
    let usb: (role: USBRole, directory: String)
    /// The same for every link that this process makes: the producer knows by it who comes back.
    let session: SessionID
    let control: Confined<Control>
    let shared: Locked<Shared>
    /// Of the producer's clock; begins anew with another producer.
    let clockMapping = Locked(ClockMapping())
    /// What is said on the producer's loudspeaker.
    let talk = Locked(TalkStream())

    /// What the endpoint's queue owns: where to, and how far it got.
    struct Control {
        var target: StudioTarget?
        var state = StudioEndpointState.idle
        var links: [UInt64: StudioLink] = [:]
        /// Said welcome, and media comes on it.
        var current: StudioLink?
        var dialling: TCPDialer?
        var search: ProducerSearch?
        var listener: TCPListener?
        var cables: USBCables?
        /// What was told of them, until one is pulled out.
        var cableTroubles: Set<String> = []
        var context: TLSContext?
        var backoff = Backoff()
        /// Where somebody answered who was not the one wanted.
        var wrongAddresses: Set<HostPort> = []
        /// Each wait for a retry has a number; another one makes the timer of the last void.
        var wait: UInt64 = 0
        var connection: UInt64 = 0
    }

    /// What links' queues and callers share.
    struct Shared {
        var subscription = Subscription()
        /// Media of other links is thrown away.
        var activeLink: StudioLink?
        var streams: Set<UInt16> = []
        var producer: DeviceID?
        /// The producer knew the session when it welcomed it last.
        var isResumed = false
        var cableRule = CableRule.nobody
        var meter = ReceptionMeter()
        var request: UInt32 = 0
        var answers: [UInt32: CheckedContinuation<RequestResult?, Never>] = [:]
        var lastKeyframeRequest: MonotonicTime?
    }

    package init(
        identity: Identity, store: PairedDeviceStore, name: String, product: String, usb: USBRole = .off,
        usbDirectory: String = USBGadgetPlace.directory, clock: any MonotonicClock = SystemClock(),
        delegate: any StudioEndpointDelegate
    ) {
        (self.identity, self.store, self.name, self.product) = (identity, store, name, product)
        (self.usb, self.clock, self.delegate) = ((usb, usbDirectory), clock, delegate)
        var generator = SystemRandomNumberGenerator()
        session = SessionID.random(using: &generator)
        control = Confined("studio endpoint", Control())
        shared = Locked(Shared())
    }

    /// Whose link it is, or was last.
    package var producer: DeviceID? { shared.withLock { $0.producer } }

    /// The producer knew this session when it welcomed it last: what it was told before still holds.
    package var isResumed: Bool { shared.withLock { $0.isResumed } }

    // MARK: What callers do; any thread

    /// Goes for `target` until told otherwise. What was connected before is left.
    ///
    /// - Parameter pairsOverCable: Also takes a producer at the other end of a cable that isn't paired yet, once its
    ///   people have agreed.
    package func connect(to target: StudioTarget, pairsOverCable: Bool = false) {
        control.async { [self] control in
            leave(&control, keepsCables: true)
            control.target = target
            control.backoff.reset()
            shared.withLock { shared in
                shared.producer = nil
                shared.cableRule =
                    switch target {
                    case .address: .connected
                    case .devices(let ids): pairsOverCable ? .everybody : .these(ids)
                    case .listen: pairsOverCable ? .everybody : .paired
                    }
            }
            clockMapping.withLock { $0 = ClockMapping() }
            do throws(TransportError) {
                control.context = try streamingContext(target)
                try open(&control)
            } catch {
                leave(&control)
                change(&control, to: .failed(error))
            }
        }
    }

    /// Says goodbye and stays idle.
    package func disconnect() {
        control.async { [self] control in
            leave(&control)
            change(&control, to: .idle)
        }
    }

    /// Says goodbye; returns when all links are closed, or after a second.
    package func stop() {
        let free = DispatchGroup()
        let links = control.sync { control in
            let links = Array(control.links.values)
            if let cables = control.cables {
                free.enter()
                cables.stop { free.leave() }
                control.cables = nil
            }
            leave(&control)
            change(&control, to: .idle)
            return links
        }
        let deadline = DispatchTime.now() + .milliseconds(900)
        for link in links { link.link.waitUntilClosed(deadline: deadline) }
        for link in links { link.link.close() }
        _ = free.wait(timeout: deadline + .milliseconds(100))
    }

    /// Remembered over reconnections.
    package func subscribe(_ subscription: Subscription) {
        let link = shared.withLock { shared -> (SessionLink, UInt32)? in
            guard shared.subscription != subscription else { return nil }
            shared.subscription = subscription
            shared.request &+= 1
            return shared.activeLink.map { ($0.link, shared.request) }
        }
        link?.0.send(.subscribe(Subscribe(request: link?.1 ?? 0, subscription: subscription)))
    }

    package var subscription: Subscription { shared.withLock { $0.subscription } }

    /// Asks for a keyframe of `stream`: at most twice a second, the rest is merged.
    package func requestKeyframe(stream: UInt16) {
        let now = clock.now
        let link = shared.withLock { shared -> SessionLink? in
            if let last = shared.lastKeyframeRequest, now - last < .milliseconds(500) { return nil }
            shared.lastKeyframeRequest = now
            return shared.activeLink?.link
        }
        link?.send(.keyframeRequest(KeyframeRequest(stream: stream)))
    }

    /// A producer has said welcome, on a link that is there.
    package var isConnected: Bool { shared.withLock { $0.activeLink != nil } }

    package func send(_ message: ControlMessage) { shared.withLock { $0.activeLink }?.link.send(message) }

    /// Sends a request and waits for its result; nil when there is no link, or it broke.
    package func request(_ make: @Sendable (UInt32) -> ControlMessage) async -> RequestResult? {
        await withCheckedContinuation { continuation in
            let (link, number) = shared.withLock { shared in
                shared.request &+= 1
                if shared.activeLink != nil { shared.answers[shared.request] = continuation }
                return (shared.activeLink?.link, shared.request)
            }
            guard let link else { return continuation.resume(returning: nil) }
            link.send(make(number))
        }
    }

    package var statistics: LinkStatistics {
        var statistics = shared.withLock { $0.meter.statistics }
        statistics.roundTrip = clockMapping.withLock { $0.roundTrip }
        return statistics
    }

    /// Where a listening studio can be dialled; 0 while not listening.
    package var port: UInt16 { control.sync { $0.listener?.port ?? 0 } }
}
