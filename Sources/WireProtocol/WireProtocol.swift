// WireProtocol: see docs/architecture.md.
