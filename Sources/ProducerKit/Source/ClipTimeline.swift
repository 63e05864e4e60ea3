internal import MediaCore

/// When the pictures and the sound of a clip are due, by this machine's clock.
///
/// A value: what was read goes in, what is to be given comes out, stamped with the machine's time.
struct ClipTimeline {
    struct Due {
        var item: MediaFile.Item
        /// Not to be given before.
        var time: MonotonicTime
    }

    /// A picture comes out of its decoder once a few later ones have been read, and some files have much sound between
    /// two: so much sound, 4 MB, is read ahead of a picture, so that it isn't late.
    private static let mostSound = Microseconds.seconds(Int64(10))

    /// The clip's time 0.
    private var origin: MonotonicTime
    /// From one picture to the next, as the clip says.
    private let interval: Microseconds
    /// Where the clip is to go on, by its own time: nothing is shown before its picture is found.
    private var place: Microseconds?
    /// The last picture before ``place``: the one that is to be seen there.
    private var held: VideoFrame?
    /// What was read before the picture that is due before it.
    private var sound: [Due] = []
    /// Sound that begins before is left out.
    private var soundFrom = Microseconds(.min)
    /// When all that was given so far is over: the last picture is seen for as long as the others.
    private(set) var end: MonotonicTime
    /// Whether this round of the clip has shown a picture.
    private(set) var hasShown = false

    init(from now: MonotonicTime, framesPerSecond: Double) {
        (origin, end) = (now, now)
        interval = .seconds(1 / max(1, framesPerSecond))
    }

    mutating func due(_ item: MediaFile.Item) -> [Due] {
        switch item {
        case .picture(let picture): pictures(upTo: picture)
        case .sound(let sound): sounds(upTo: sound)
        }
    }

    /// What is still to be shown at the clip's end.
    mutating func dueAtEnd() -> [Due] {
        defer { sound = [] }
        return shownAtPlace() + sound
    }

    /// The clip begins anew when it is over.
    mutating func beginAnew() {
        origin = end
        soundFrom = Microseconds(.min)
        hasShown = false
    }

    /// The clip goes on at `place` of its own time, now.
    mutating func jump(to place: Microseconds, at now: MonotonicTime) {
        (origin, end) = (now - place, now)
        (self.place, held, sound, soundFrom) = (place, nil, [], place)
        hasShown = false
    }

    private mutating func pictures(upTo picture: VideoFrame) -> [Due] {
        let time = clipTime(picture.presentationTime)
        if let place, time <= place {
            held = picture
            return []
        }
        let first = shownAtPlace()
        let earlier = sound.prefix { $0.time <= origin + time }
        sound.removeFirst(earlier.count)
        return first + earlier + [show(picture, at: time)]
    }

    private mutating func shownAtPlace() -> [Due] {
        guard let place, let held else { return [] }
        (self.place, self.held) = (nil, nil)
        return [show(held, at: place)]
    }

    private mutating func show(_ picture: VideoFrame, at time: Microseconds) -> Due {
        var picture = picture
        picture.presentationTime = origin + time
        place = nil
        hasShown = true
        end = max(end, origin + time + interval)
        return Due(item: .picture(picture), time: origin + time)
    }

    private mutating func sounds(upTo newest: AudioFrame) -> [Due] {
        let time = clipTime(newest.presentationTime)
        guard time >= soundFrom else { return [] }
        var newest = newest
        newest.presentationTime = origin + time
        end = max(end, origin + time + newest.duration)
        sound.append(Due(item: .sound(newest), time: origin + time))
        let due = sound.prefix { origin + time - $0.time > Self.mostSound }
        guard !due.isEmpty else { return [] }
        sound.removeFirst(due.count)
        // No picture follows for long: the one at hand is that of the place.
        return shownAtPlace() + due
    }

    /// A time of the file, from its beginning; what has none follows what came before.
    private func clipTime(_ time: MonotonicTime?) -> Microseconds {
        time.map { $0 - MonotonicTime(microseconds: 0) } ?? end - origin
    }
}
