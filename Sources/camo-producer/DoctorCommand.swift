import CommandCore
import Diagnosis
import ProducerKit

/// `camo-producer doctor`: what this end needs, and what mends what is missing.
struct DoctorCommand {
    private let run: CommandRun
    init(_ run: CommandRun) { self.run = run }

    /// - Parameter port: The TCP port that is to be free; nil: none was named.
    func perform(port: Int?) -> ExitCode {
        var view = MachineSurvey.look(for: .producer, stateDirectory: run.options.global.stateDirectory, port: port)
        view.hardwareEncoders = HardwareEncoder.survey().map { ($0.name, $0.problem) }
        do throws(OutputError) {
            return try DoctorReport.tell(Examination.producer(view), json: run.options.global.json, to: run.events)
        } catch {
            // Whoever read it has read enough.
            if error == .readerGone { return .success }
            run.events.write(.error("\(error)"))
            return .cannotCreate
        }
    }
}
