"""Titles that complete what somebody types."""
