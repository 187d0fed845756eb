"""Processes that byway starts by module name, and the runner that supervises them."""
