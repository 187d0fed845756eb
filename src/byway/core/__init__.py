"""Core: values, ports, settings, text analysis and messages; no I/O."""
