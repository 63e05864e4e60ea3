// DeviceCore: see docs/architecture.md.
