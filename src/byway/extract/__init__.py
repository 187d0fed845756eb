"""Extraction: from a fetched page to a document, its links and its robots permission.

`dispatch.extract` reads one page and trusts nothing in it. `worker.pool.WorkerPool` does the same
in worker processes, which can be killed.
"""
