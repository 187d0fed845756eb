"""Site rules: how the pages of one site are read."""
