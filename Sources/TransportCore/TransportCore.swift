// TransportCore: see docs/architecture.md.
