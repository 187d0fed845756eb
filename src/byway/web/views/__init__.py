"""From values to what templates show."""
