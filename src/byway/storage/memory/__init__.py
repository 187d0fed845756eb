"""Reference implementation of the ports, in memory."""
