import CommandCore
import Dispatch
import Foundation
import TransportCore

/// A tool for developers: see `ProbeOptions.usage`.
@main
@MainActor
struct Program {
    static func main() {
        let options: ProbeOptions
        do throws(ProbeOptions.Usage) {
            options = try ProbeOptions(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("discovery-probe: \(error.message)\n\n\(ProbeOptions.usage)".utf8))
            exit(64)
        }
        if options.showsAddresses {
            for address in LocalAddresses.current() { print(address) }
            return
        }
        if options.listens, let port = options.services.first?.port, !PlainSocket.serve(port: port) {
            FileHandle.standardError.write(Data("discovery-probe: port \(port) is not free\n".utf8))
            exit(69)
        }
        let probe = Probe(options)
        _ = SignalWatcher { _ in
            DispatchQueue.main.async { MainActor.assumeIsolated { probe.stop() } }
        }
        probe.start()
        Thread.detachNewThread { readCommands(for: probe) }
        dispatchMain()
    }

    private nonisolated static func readCommands(for probe: Probe) {
        while let line = readLine() {
            DispatchQueue.main.async { probe.command(line) }
        }
    }
}
