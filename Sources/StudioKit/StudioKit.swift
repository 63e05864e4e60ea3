// StudioKit: see docs/architecture.md.
