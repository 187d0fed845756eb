"""Use cases: the only place that opens storage and starts processes."""
