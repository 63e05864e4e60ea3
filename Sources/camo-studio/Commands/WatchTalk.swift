import CommandCore
import Glibc
import StudioKit

/// Speaks on the producer's loudspeaker while the command watches: as soon as somebody is connected. SIGUSR2 ends that, and
/// SIGUSR1 begins anew.
struct WatchTalk: Sendable {
    private let controller: StudioController
    private let options: TalkOptions
    private let run: CommandRun

    init(_ controller: StudioController, _ options: TalkOptions, _ run: CommandRun) {
        (self.controller, self.options, self.run) = (controller, options, run)
    }

    /// Returns once it has begun. Where it is refused the command ends.
    func begin() async {
        UserSignals.watch { [controller, options] number in
            Task {
                if number == SIGUSR1 {
                    // The delegate tells why it does not.
                    try? await controller.startTalk(options.mode, from: options.device)
                } else {
                    await controller.stopTalk()
                }
            }
        }
        for await state in controller.stateUpdates {
            guard case .connected = state else { continue }
            do {
                return try await controller.startTalk(options.mode, from: options.device)
            } catch let error as StudioError {
                // The connection was lost at once: the next one.
                if error.code == .notConnected { continue }
                return run.end(.told(ExitCode(error)))
            } catch {
                return run.end(.told(.unavailable))
            }
        }
    }
}
