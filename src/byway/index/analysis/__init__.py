"""Document analysis: terms, term codes and document frequencies, with compiled loops."""
