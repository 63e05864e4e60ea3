// CommandCore: see docs/architecture.md.
