"""The reference: every port in memory."""
