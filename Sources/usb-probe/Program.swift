import Dispatch
import Foundation
import TransportCore

/// A tool for developers: see ``ProbeOptions/usage``.
@main
struct Program {
    static func main() {
        let options: ProbeOptions
        do throws(ProbeOptions.Usage) {
            options = try ProbeOptions(Array(CommandLine.arguments.dropFirst()))
        } catch {
            say("usb-probe: \(error.message)\n\n\(ProbeOptions.usage)")
            exit(64)
        }
        let queue = DispatchQueue(label: "usb-probe")
        if case .churn(let count) = options.job {
            let churn = Churn(options.side, count: count, queue)
            queue.sync { churn.start() }
        } else {
            let talk = Talk(options, queue)
            queue.sync { talk.start() }
        }
        dispatchMain()
    }

    static func tell(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
    static func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
