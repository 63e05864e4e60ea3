import CamoTypes
import Testing
import TransportCore

@testable import Diagnosis

@Suite struct NetworkCheckTests {
    private func view(_ set: (inout MachineView) -> Void) -> MachineView {
        var view = MachineView()
        set(&view)
        return view
    }

    @Test func `Avahi and the bus answer, refuse, or are not there`() {
        for check in [NetworkChecks.avahi, NetworkChecks.bus] {
            #expect(check(view { ($0.avahi, $0.bus) = (.answers, .answers) }).outcome == .ok)
            let absent = check(view { ($0.avahi, $0.bus) = (.absent, .absent) })
            #expect(absent.outcome == .missing)
            #expect(absent.remedy?.contains("systemctl") == true)
            let refused = check(view { $0.avahi = .refused("Connection refused") })
            #expect(refused.outcome == .missing)
        }
        #expect(NetworkChecks.avahi(view { _ in }).text.contains("--connect HOST:PORT works without it"))
        #expect(
            NetworkChecks.avahi(view { $0.avahi = .refused("Permission denied") }).text.contains("(Permission denied)"))
    }

    @Test func `the port is free, in use, or nobody has named it`() {
        #expect(NetworkChecks.port(view { _ in }).outcome == .ok)
        #expect(NetworkChecks.port(view { $0.port = (5_700, nil) }).text == "TCP port 5700 is free")
        let used = NetworkChecks.port(view { $0.port = (5_700, "Address already in use") })
        #expect(used.outcome == .missing)
        #expect(used.remedy?.contains("ss -ltnp 'sport = :5700'") == true)
    }

    @Test func `a firewall is to let in both ports`() {
        #expect(NetworkChecks.firewall(view { _ in }).outcome == .ok)
        let ufw = NetworkChecks.firewall(view { ($0.firewall, $0.port) = (.ufw, (5_700, nil)) })
        #expect(ufw.outcome == .warning)
        #expect(ufw.remedy == "sudo ufw allow 5353/udp && sudo ufw allow 5700/tcp")
        let firewalld = NetworkChecks.firewall(view { $0.firewall = .firewalld })
        #expect(firewalld.remedy?.contains("--add-service=mdns --add-port=PORT/tcp") == true)
    }

    @Test func `power saving of Wi-Fi`() {
        #expect(NetworkChecks.wireless(view { _ in }).outcome == .ok)
        let check = NetworkChecks.wireless(view { $0.wirelessInterfaces = ["wlan0"] })
        #expect(check.outcome == .warning)
        #expect(check.remedy == "sudo iw dev wlan0 set power_save off")
    }
}

@Suite struct StateCheckTests {
    private func checks(
        _ program: Examination.Program = .producer, _ set: (inout StateInspection) -> Void
    ) -> [String: Check] {
        var state = StateInspection(path: "/home/me/.local/state/camo")
        set(&state)
        var view = MachineView()
        view.state = .success(state)
        return Dictionary(uniqueKeysWithValues: StateChecks.all(view, program).map { ($0.name, $0) })
    }

    private let file = StateInspection.File(path: "/home/me/.local/state/camo/identity.pem", mode: 0o600)

    @Test func `before the first start nothing is wrong, and nobody is paired`() {
        let checks = checks { _ in }
        #expect(checks["state"]?.outcome == .ok)
        #expect(checks["identity"]?.outcome == .ok)
        #expect(checks["pairedDevices"]?.outcome == .warning)
        #expect(checks["pairedDevices"]?.remedy?.contains("camo-producer pair CODE") == true)
    }

    @Test func `a state that is private and paired is well`() {
        let checks = checks { state in
            (state.directoryMode, state.files, state.identity) = (0o700, [file], .good)
            (state.devices, state.pairedCount) = (.good, 2)
        }
        #expect(checks.values.allSatisfy { $0.outcome == .ok })
        #expect(checks["pairedDevices"]?.text == "2 paired")
    }

    @Test func `what others may read is named with the command that closes it`() {
        let checks = checks { state in
            state.directoryMode = 0o755
            state.files = [.init(path: file.path, mode: 0o644)]
        }
        #expect(checks["state"]?.outcome == .warning)
        #expect(
            checks["state"]?.remedy
                == "chmod 700 /home/me/.local/state/camo && chmod 600 /home/me/.local/state/camo/identity.pem")
    }

    @Test func `a directory of another user, and damage`() {
        let foreign = checks { ($0.directoryMode, $0.isOwn) = (0o700, false) }
        #expect(foreign["state"]?.outcome == .missing)
        let damaged = checks { state in
            state.directoryMode = 0o700
            (state.identity, state.devices) = (.bad("identity.pem is empty"), .bad("paired-devices.json is damaged"))
        }
        #expect(damaged["identity"]?.outcome == .missing)
        #expect(damaged["pairedDevices"]?.outcome == .missing)
    }

    @Test func `no place for a state`() {
        var view = MachineView()
        view.state = .failure(TransportError(.noStateDirectory, "neither XDG_STATE_HOME nor HOME is set"))
        #expect(StateChecks.all(view, .studio).map(\.outcome) == [.missing])
    }
}
