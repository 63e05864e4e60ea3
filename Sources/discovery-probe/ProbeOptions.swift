import TransportCore

/// The command line of the probe.
struct ProbeOptions {
    static let usage = """
        discovery-probe: publishes and browses with Avahi as the product does, and prints what happens as JSON lines.

          --publish NAME        publish under this name; the following options belong to it:
            --type TYPE           default _camo._tcp
            --port N              default 5700
            --text KEY=VALUE      add to the TXT record, which begins with p=oc1 and i
            --hex KEY=HEX         the same in hexadecimal
            --bare                leave p and i out
          --browse TYPE         tell of the services of this type
          --refresh SECONDS     ask again so often; default 60
          --stop-at EVENT       stop from inside the first event of this name
          --rounds N            first make, use and stop N instances, and tell what is left of them
          --listen              accept connections on the port of the first service, and close them
          --dial                connect to each address that is found, and say how that went
          --addresses           print this machine's addresses for a pairing code, and end

        Lines on stdin: "unpublish N", "publish N", "rename N NAME", "text N KEY=VALUE", "stop" (N counts from 1).
        SIGINT and SIGTERM end it.

        """

    private(set) var services: [PublishedService] = []
    private(set) var types: [ServiceType] = []
    private(set) var refreshSeconds: Int64 = 60
    private(set) var stopsAt: String?
    private(set) var rounds = 0
    private(set) var listens = false
    private(set) var dials = false
    private(set) var showsAddresses = false

    struct Usage: Error { var message: String }

    init(_ arguments: [String]) throws(Usage) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--listen": listens = true
            case "--dial": dials = true
            case "--addresses": showsAddresses = true
            case "--bare": try change(option) { $0.text = TextRecord() }
            default:
                guard let value = rest.popFirst() else { throw Usage(message: "\(option): unknown, or needs a value") }
                try take(option, value)
            }
        }
    }

    private mutating func take(_ option: String, _ value: String) throws(Usage) {
        switch option {
        case "--publish":
            var text = TextRecord()
            text.set("p", to: CamoService.mark)
            text.set("i", to: CamoService.processTag)
            services.append(PublishedService(name: value, type: .camo, port: 5700, text: text))
        case "--browse": types.append(ServiceType(value))
        case "--refresh":
            guard let seconds = Int64(value), seconds > 0 else { throw Usage(message: "--refresh: \(value)") }
            refreshSeconds = seconds
        case "--stop-at": stopsAt = value
        case "--rounds":
            guard let count = Int(value), count > 0 else { throw Usage(message: "--rounds: \(value)") }
            rounds = count
        case "--type": try change(option) { $0.type = ServiceType(value) }
        case "--port":
            guard let port = UInt16(value) else { throw Usage(message: "--port: not a port: \(value)") }
            try change(option) { $0.port = port }
        case "--text":
            let (key, text) = try Self.pair(option, value)
            try change(option) { $0.text.set(key, to: text) }
        case "--hex":
            let (key, digits) = try Self.pair(option, value)
            guard let bytes = [UInt8](hexadecimal: digits) else { throw Usage(message: "--hex: \(digits)") }
            try change(option) { $0.text.set(key, to: bytes) }
        default: throw Usage(message: "\(option): unknown")
        }
    }

    private mutating func change(_ option: String, _ change: (inout PublishedService) -> Void) throws(Usage) {
        guard !services.isEmpty else { throw Usage(message: "\(option) belongs after --publish") }
        change(&services[services.count - 1])
    }

    static func pair(_ option: String, _ text: String) throws(Usage) -> (String, String) {
        guard let mark = text.firstIndex(of: "=") else { throw Usage(message: "\(option) wants KEY=VALUE") }
        return (String(text[..<mark]), String(text[text.index(after: mark)...]))
    }
}

extension [UInt8] {
    init?(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
