"""What everybody may import; no input or output."""
