"""Query language: tokens, parser and operators."""
