import CommandCore
import GadgetSetup
import Glibc

@main
struct Program {
    static func main() async {
        let options = CommandLineProgram.parseOrExit(StudioTable.tool, StudioOptions.init)
        let run = CommandRun(options)
        let code =
            switch options.action {
            case .watch(let watch): await WatchCommand(watch, run).perform()
            case .pair(let pair): await PairCommand(pair, run).perform()
            case .listDevices: await DevicesCommand(run).list()
            case .removeDevice(let text): await DevicesCommand(run).remove(text)
            case .listProducers: await ListCommand(run).perform()
            case .cameras(let cameras): await RemoteCommands(run).cameras(cameras)
            case .controls(let controls): await RemoteCommands(run).controls(controls)
            case .capabilities(let producer): await RemoteCommands(run).capabilities(producer)
            case .recordings(let producer): await RemoteCommands(run).recordings(producer)
            case .play(let play): await PlayCommand(play, run).perform()
            case .doctor(let port): DoctorCommand(run).perform(port: port)
            case .usbGadget(let gadget):
                GadgetCommand(program: "camo-studio", options: options.global, events: run.events).perform(gadget)
            case .snapshot(let snapshot): await SnapshotCommand(snapshot, run).perform()
            }
        exit(run.events.finish(code).rawValue)
    }
}
