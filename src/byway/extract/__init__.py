"""From a page to a document: what does it say?"""
