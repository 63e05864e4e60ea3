internal import Confinement
internal import FoundationEssentials
internal import Glibc
internal import MediaCore
internal import TransportCore

/// The recordings of an installation: those that its producers have made and that are still there, and no other file.
///
/// Every method may be called on any thread, and blocks as long as the disk does.
final class RecordingShelf: Sendable {
    typealias Entry = RecordingIndex.Entry

    private let index: RecordingIndex
    private let clock: any MonotonicClock
    private let milliseconds: @Sendable () -> Int64

    /// - Parameters:
    ///   - clock: Of the pictures' times.
    ///   - milliseconds: Since 1970, now.
    init(
        _ index: RecordingIndex, clock: any MonotonicClock = SystemClock(),
        milliseconds: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }
    ) {
        self.index = index
        self.clock = clock
        self.milliseconds = milliseconds
    }

    // MARK: What is there

    /// The oldest first. A file that is gone, has changed, is being recorded, or cannot be read is left out.
    var recordings: [Recording] { present.map(\.recording) }

    /// The paths, which no studio is told.
    var paths: [Recording.ID: String] {
        Dictionary(present.map { ($0.id, $0.path) }) { first, _ in first }
    }

    private var present: [Entry] { index.entries.compactMap { $0.isFinished ? checked($0) : completed($0) } }

    /// Opens one of them.
    ///
    /// - Throws: ``ProducerError``: `notFound`, `badData`, `noPermission` …; no message has the path in it.
    func open(_ id: Recording.ID) throws(ProducerError) -> (recording: Recording, reader: RecordingReader) {
        guard let entry = present.first(where: { $0.id == id }) else {
            throw ProducerError(.notFound, "there is no recording \(id)")
        }
        do throws(MediaError) {
            return (entry.recording, try RecordingReader(path: entry.path))
        } catch {
            let code: ProducerError.Code =
                switch error.code {
                case .notFound: .notFound
                case .noPermission: .noPermission
                default: .badData
                }
            throw ProducerError(code, "the recording \(id) cannot be read: it is damaged, or may not be")
        }
    }

    /// The entry, if its file is what it was when it was finished.
    private func checked(_ entry: Entry) -> Entry? {
        var status = stat()
        guard lstat(entry.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int64(status.st_size) == entry.byteCount, entry.byteCount > 0
        else { return nil }
        return entry
    }

    /// What a program has left that was killed: whole up to its last half second. Nil while it is being recorded.
    private func completed(_ entry: Entry) -> Entry? {
        guard let size = Self.sizeOfFileAtRest(entry.path), let reader = try? RecordingReader(path: entry.path) else {
            return nil
        }
        var whole = entry
        (whole.byteCount, whole.isFinished) = (size, true)
        whole.durationMicroseconds = reader.duration.count
        (whole.width, whole.height) = (reader.format.size.width, reader.format.size.height)
        whole.hasSound = reader.hasSound
        // Where that cannot be written down it is found out again.
        try? index.update { entries in
            if let place = entries.firstIndex(where: { $0 == entry }) { entries[place] = whole }
        }
        return whole
    }

    /// Nil: there is no such file, or somebody writes it (``Recorder`` holds a lock on it meanwhile).
    private static func sizeOfFileAtRest(_ path: String) -> Int64? {
        // O_NONBLOCK: a pipe in its place must not hang the program.
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
            flock(file, LOCK_SH | LOCK_NB) == 0
        else { return nil }
        return Int64(status.st_size)
    }

    // MARK: What is recorded

    /// A file has begun, has ended, or was rewritten.
    ///
    /// - Parameter file: Its path is absolute.
    /// - Returns: The recording, once it is one.
    /// - Throws: It cannot be written down: the file is there, but is not known.
    func note(_ file: Recorder.File) throws(ProducerError) -> Recording? {
        let started = milliseconds() - (clock.now - file.start).count / 1_000
        var noted: Entry?
        do throws(TransportError) {
            try index.update { entries in
                let known = entries.firstIndex { $0.path == file.path }
                let isSame = known.map { !entries[$0].isFinished || file.isFinished } ?? false
                // Another file of that name is another recording.
                if let known, !isSame { entries.remove(at: known) }
                var entry =
                    known.flatMap { isSame ? entries[$0] : nil }
                    ?? Entry(
                        id: RecordingIndex.newID(among: entries), path: file.path, startedAtMilliseconds: started,
                        width: file.size.width, height: file.size.height, hasSound: file.hasSound)
                entry.durationMicroseconds = file.duration.count
                (entry.width, entry.height) = (file.size.width, file.size.height)
                (entry.byteCount, entry.isFinished) = (file.byteCount, file.isFinished)
                entry.hasSound = file.hasSound
                if let known, isSame { entries[known] = entry } else { entries.append(entry) }
                noted = entry
            }
        } catch {
            throw ProducerError(error)
        }
        return noted.flatMap { $0.isFinished ? $0.recording : nil }
    }
}

extension RecordingIndex.Entry {
    var recording: Recording {
        Recording(
            id: id, startedAtMilliseconds: startedAtMilliseconds, duration: Microseconds(durationMicroseconds),
            size: PixelSize(width: width, height: height), byteCount: byteCount, hasSound: hasSound)
    }
}
