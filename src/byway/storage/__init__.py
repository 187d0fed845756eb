"""Where data lives and work runs. Each backend fills the ports; none knows of the stages.

One folder on one machine: SQLite, WARC files and tantivy. No services.
"""
