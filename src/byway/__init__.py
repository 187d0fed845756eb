"""byway: a self-hosted web search engine. Start reading at `model.py`."""

__version__ = "0.1.0"
