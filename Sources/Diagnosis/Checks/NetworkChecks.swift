/// What finding one another and talking need. Only what can be seen without root.
enum NetworkChecks {
    static func bus(_ view: MachineView) -> Check {
        service(
            "dbus", view.bus, "the system bus", lack: "programs cannot talk to Avahi",
            remedy: "sudo apt-get install dbus && sudo systemctl start dbus")
    }

    static func avahi(_ view: MachineView) -> Check {
        service(
            "avahi", view.avahi, "the Avahi daemon",
            lack: "the two ends do not find one another; --connect HOST:PORT works without it",
            remedy: "sudo apt-get install avahi-daemon && sudo systemctl enable --now avahi-daemon")
    }

    private static func service(
        _ name: String, _ service: MachineView.Service, _ what: String, lack: String, remedy: String
    ) -> Check {
        switch service {
        case .answers: Check(name, .ok, "\(what) answers")
        case .absent: Check(name, .missing, "\(what) is not running: \(lack)", remedy: remedy)
        case .refused(let why): Check(name, .missing, "\(what) does not answer (\(why)): \(lack)", remedy: remedy)
        }
    }

    static func port(_ view: MachineView) -> Check {
        guard let port = view.port else {
            return Check(
                "port", .ok,
                "any free TCP port is taken where none is named; give the one that is to be used to see whether it is free"
            )
        }
        guard let problem = port.problem else { return Check("port", .ok, "TCP port \(port.number) is free") }
        return Check(
            "port", .missing, "TCP port \(port.number) cannot be had: \(problem)",
            remedy: "choose another, or see who has it: ss -ltnp 'sport = :\(port.number)'")
    }

    static func firewall(_ view: MachineView) -> Check {
        let port = view.port.map { String($0.number) } ?? "PORT"
        switch view.firewall {
        case .ufw:
            return Check(
                "firewall", .warning, "ufw is on: it has to let in UDP 5353 and the TCP port",
                remedy: "sudo ufw allow 5353/udp && sudo ufw allow \(port)/tcp")
        case .firewalld:
            return Check(
                "firewall", .warning, "firewalld runs: it has to let in UDP 5353 and the TCP port",
                remedy: "sudo firewall-cmd --permanent --add-service=mdns --add-port=\(port)/tcp "
                    + "&& sudo firewall-cmd --reload")
        case nil:
            return Check(
                "firewall", .ok,
                "neither ufw nor firewalld; other rules cannot be seen without root: sudo nft list ruleset")
        }
    }

    static func wireless(_ view: MachineView) -> Check {
        guard let first = view.wirelessInterfaces.first else { return Check("wifi", .ok, "no Wi-Fi is used") }
        // Whether it is on is told through netlink to programs that speak nl80211, nowhere else.
        return Check(
            "wifi", .warning,
            "\(view.wirelessInterfaces.joined(separator: ", ")): power saving delays pictures by a tenth of a second "
                + "and more where it is on; see: iw dev \(first) get power_save",
            remedy: "sudo iw dev \(first) set power_save off")
    }
}
