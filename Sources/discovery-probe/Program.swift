import Dispatch
import Foundation
import TransportCore

/// A tool for developers: see `ProbeOptions.usage`.
@main
@MainActor
struct Program {
    private static var sources: [any DispatchSourceSignal] = []

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
        probe.start()
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { MainActor.assumeIsolated { probe.stop() } }
            source.activate()
            sources.append(source)
        }
        Thread.detachNewThread { readCommands(for: probe) }
        dispatchMain()
    }

    private nonisolated static func readCommands(for probe: Probe) {
        while let line = readLine() {
            DispatchQueue.main.async { probe.command(line) }
        }
    }
}
