"""From a page to a document: what does it say? `dispatch.extract` reads one and trusts nothing in
it.

`pool.WorkerPool` does the same in processes of its own, which can be killed; whoever starts them
loads nothing of what they read with.
"""
