"""Browser tests. A package, so that fixtures of scope "package" end with its last test."""
