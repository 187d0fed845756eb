"""The words for goods, shared by pages and queries."""
