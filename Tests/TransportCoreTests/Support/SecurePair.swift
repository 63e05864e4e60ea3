import CamoTypes
import Confinement
import Testing

@testable import TransportCore

/// A studio and a producer that know one another, with a link between them.
struct SecurePair: Sendable {
    let studio: Identity
    let producer: Identity
    let server: SecureLink
    let client: SecureLink

    init(
        over links: (any ByteLink, any ByteLink), alpn: ApplicationProtocol = .streaming, recordsPerKey: Int = 1 << 22,
        patience: SecureLink.Patience = .init()
    ) throws {
        let (studio, producer) = (try Identity.generate(), try Identity.generate())
        (self.studio, self.producer) = (studio, producer)
        let serverContext = try TLSContext(
            identity: studio, role: .server, protocols: [alpn], recordsPerKey: recordsPerKey
        ) { id, _ in id.matches(producer.id) }
        let clientContext = try TLSContext(
            identity: producer, role: .client, protocols: [alpn], recordsPerKey: recordsPerKey
        ) { id, _ in id.matches(studio.id) }
        server = SecureLink(link: links.0, role: .server, context: serverContext, label: "studio", patience: patience)
        client = SecureLink(link: links.1, role: .client, context: clientContext, label: "producer", patience: patience)
    }

    /// Starts both and waits until both are connected.
    func connect(_ atStudio: Recorder, _ atProducer: Recorder) async {
        server.start(delegate: atStudio)
        client.start(delegate: atProducer)
        await atStudio.wait { $0.peer != nil || $0.isClosed }
        await atProducer.wait { $0.peer != nil || $0.isClosed }
    }

    /// Closes both and waits until that is done.
    func close(_ atStudio: Recorder, _ atProducer: Recorder) async {
        server.close(afterSending: false)
        client.close(afterSending: false)
        await atStudio.wait { $0.isClosed }
        await atProducer.wait { $0.isClosed }
    }
}
