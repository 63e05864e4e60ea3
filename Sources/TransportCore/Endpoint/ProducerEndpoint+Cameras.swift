package import WireProtocol

/// What a studio wants of a producer's camera.
package enum CameraRequest: Hashable, Sendable {
    /// The `id` of another camera.
    case select(String)
    /// The `id` of a control, and its value.
    case set(String, Int64)
}

/// What studios are told of the producer's cameras, and what they ask of them.
extension ProducerEndpoint {
    struct CameraNews {
        var cameras: Cameras?
        var controls: Controls?
    }

    /// To one that has come.
    func tellOfCameras(_ viewer: Viewer) {
        cameras.withLock { news in
            if let cameras = news.cameras { viewer.send(.cameras(cameras)) }
            if let controls = news.controls { viewer.send(.controls(controls)) }
        }
    }

    /// The cameras there are now: to all studios that watch, and to each that comes.
    package func tell(_ cameras: Cameras) {
        self.cameras.withLock { news in
            news.cameras = cameras
            for viewer in viewers { viewer.send(.cameras(cameras)) }
        }
    }

    /// The controls that the camera in use has: to all studios that watch, and to each that comes.
    package func tell(_ controls: Controls) {
        cameras.withLock { news in
            news.controls = controls
            for viewer in viewers { viewer.send(.controls(controls)) }
        }
    }

    /// One control has changed: those that come are told of all.
    package func tell(_ change: ControlChanged, in controls: Controls) {
        cameras.withLock { news in
            news.controls = controls
            for viewer in viewers { viewer.send(.controlChanged(change)) }
        }
    }

    func ask(_ wanted: CameraRequest, _ viewer: Viewer, _ request: UInt32, _ link: SessionLink) {
        guard let isDone = countRequest(of: viewer) else {
            let text = "\(Limits.cameraRequestCount) requests of this studio wait for the camera already"
            return link.send(.result(RequestResult(request: request, code: .busy, text: text)))
        }
        delegate.producerEndpoint(self, viewer: viewer, asksFor: wanted) { code, text in
            isDone()
            link.send(.result(RequestResult(request: request, code: code, text: text)))
        }
    }

    /// One more request of a studio waits; to be called when it is done. Nil: too many do.
    func countRequest(of viewer: Viewer) -> (@Sendable () -> Void)? {
        let device = viewer.peer.id
        let isTaken = cameraRequests.withLock { requests in
            guard requests[device, default: 0] < Limits.cameraRequestCount else { return false }
            requests[device, default: 0] += 1
            return true
        }
        guard isTaken else { return nil }
        return { [self] in
            cameraRequests.withLock { requests in
                let rest = requests[device, default: 1] - 1
                requests[device] = rest > 0 ? rest : nil
            }
        }
    }
}
