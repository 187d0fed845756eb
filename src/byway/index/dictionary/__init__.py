"""Words of the collection: by prefix, edit distance and surface form."""
