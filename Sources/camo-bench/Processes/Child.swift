import CommandCore
import Glibc

/// A process that is measured, with its standard input and output on pipes of ours.
final class Child {
    let name: String
    private let pid: pid_t
    /// Our end of the pipe; -1 where there is none.
    let input: Int32
    let output: Int32
    private let log: String
    private var status: Int32?

    /// Both pipes hold one mebibyte: the most an ordinary user may ask for, and the same for everybody measured.
    private static let pipeBytes: Int32 = 1 << 20
    /// fcntl(2), F_SETPIPE_SZ: F_LINUX_SPECIFIC_BASE + 7 in linux/fcntl.h; Swift does not import it.
    private static let setPipeSize: Int32 = 1024 + 7

    /// - Parameters:
    ///   - arguments: The program first; it is looked for on PATH.
    ///   - log: Standard error goes there; standard output too, where it is not asked for.
    init(_ arguments: [String], takesInput: Bool = false, givesOutput: Bool = false, log: String) throws(BenchError) {
        name = arguments.first.map { String($0.split(separator: "/").last ?? "") } ?? ""
        self.log = log
        let toChild = takesInput ? try Self.makePipe() : nil
        let fromChild = givesOutput ? try Self.makePipe() : nil

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let toChild {
            posix_spawn_file_actions_adddup2(&actions, toChild.read, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, fromChild?.write ?? STDERR_FILENO, STDOUT_FILENO)

        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer {
            for word in words { free(word) }
        }
        var pid: pid_t = 0
        let result = posix_spawnp(&pid, words[0] ?? strdup(""), &actions, nil, &words, environ)
        if let toChild { close(toChild.read) }
        if let fromChild { close(fromChild.write) }
        guard result == 0 else {
            throw BenchError("cannot start \(arguments.first ?? ""): \(String(cString: strerror(result)))")
        }
        self.pid = pid
        input = toChild?.write ?? -1
        output = fromChild?.read ?? -1
    }

    deinit {
        if input >= 0 { close(input) }
        if output >= 0 { close(output) }
        end()
    }

    private static func makePipe() throws(BenchError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw BenchError("pipe: \(String(cString: strerror(errno)))") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, setPipeSize, pipeBytes)
        }
        return (ends[0], ends[1])
    }

    /// What it has said, as far as it helps to understand a failure.
    var lastWords: String {
        guard let text = readFile(log) else { return "" }
        let lines = text.split(separator: "\n").suffix(8)
        return lines.isEmpty ? "" : "; \(name) said:\n" + lines.joined(separator: "\n")
    }

    /// Nil while it runs.
    var exitStatus: Int32? {
        if let status { return status }
        var wait: Int32 = 0
        guard waitpid(pid, &wait, WNOHANG) == pid else { return nil }
        // WIFEXITED and its like are macros (wait(2)): the low seven bits are the signal.
        status = wait & 0x7F == 0 ? wait >> 8 & 0xFF : 128 + wait & 0x7F
        return status
    }

    /// Waits for its own end.
    func wait(milliseconds: Int) -> Int32? {
        for _ in 0..<max(1, milliseconds / 10) {
            if let exitStatus { return exitStatus }
            usleep(10_000)
        }
        return exitStatus
    }

    /// Asks it to end, then makes it.
    func end() {
        guard exitStatus == nil else { return }
        kill(pid, SIGTERM)
        if wait(milliseconds: 2000) == nil {
            kill(pid, SIGKILL)
            _ = wait(milliseconds: 2000)
        }
    }

    /// Processor time so far, all threads, user and system, in milliseconds (proc_pid_stat(5), fields 14 and 15).
    var processorMilliseconds: Double {
        // The name in field 2 may hold anything; the fields are counted from behind its bracket.
        guard let stat = readFile("/proc/\(pid)/stat"), let bracket = stat.lastIndex(of: ")") else { return 0 }
        let fields = stat[bracket...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return 0 }
        return (user + system) * 1000 / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The most memory it ever held, in MB (VmHWM).
    var peakMegabytes: Double { statusKilobytes("VmHWM") / 1024 }

    private func statusKilobytes(_ key: String) -> Double {
        guard let status = readFile("/proc/\(pid)/status") else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix(key + ":") }
        return line.flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first }.flatMap { Double($0) } ?? 0
    }
}

/// A whole small file; nil where it cannot be read.
func readFile(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = read(file, &part, part.count)
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += part.prefix(count)
    }
}
