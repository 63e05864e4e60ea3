// MediaCore: see docs/architecture.md.
