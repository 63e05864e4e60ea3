// ProducerKit: see docs/architecture.md.
