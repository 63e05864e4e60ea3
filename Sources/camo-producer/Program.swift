import CommandCore
import GadgetSetup
import Glibc

@main
struct Program {
    static func main() async {
        let options = CommandLineProgram.parseOrExit(ProducerTable.tool, ProducerOptions.init)
        // Before anything else can take time: until then every user of this machine can read the code.
        if case .pair(let pairing) = options.action, case .code(let code) = pairing.input {
            ArgumentMemory.wipe(code.text)
        }
        if case .stream(let stream) = options.action, let address = stream.publish, !address.text.hasPrefix("@") {
            ArgumentMemory.wipe(address.text)
        }
        let run = CommandRun(options)
        let code =
            switch options.action {
            case .stream(let stream): await StreamCommand(stream, run).perform()
            case .pair(let pairing): await PairCommand(pairing, run).perform()
            case .photo(let photo): await PhotoCommand(photo, run).perform()
            case .controls(let controls): ControlsCommand(controls, run).perform()
            case .setPaused(let isPaused): PauseCommand(run).perform(isPaused)
            case .status: StatusCommand(run).perform()
            case .listSources: ListCommand(run).perform()
            case .listDevices: DevicesCommand(run).list()
            case .removeDevice(let text): DevicesCommand(run).remove(text)
            case .doctor(let port): DoctorCommand(run).perform(port: port)
            case .usbGadget(let gadget):
                GadgetCommand(program: "camo-producer", options: options.global, events: run.events).perform(gadget)
            }
        exit(run.events.finish(code).rawValue)
    }
}
