"""Site rules: custom extraction for the pages of one site."""
