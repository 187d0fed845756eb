"""Term dictionary: words by prefix, edit distance and surface form."""
