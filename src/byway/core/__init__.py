"""Core: values, ports, settings, text analysis and messages; without input or output."""
