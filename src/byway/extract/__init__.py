"""From a page to a document: what does it say?

`extract` reads one page and trusts nothing in it. `worker.Readers` does the same in processes of
its own, which can be killed.
"""

from byway.extract.page import extract

__all__ = ["extract"]
