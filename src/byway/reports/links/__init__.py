"""Who links to whom? Questions that a person asks the graph of links, answered as values."""
