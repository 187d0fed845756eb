"""byway: a self-hosted web search engine. Start reading at `core/model/__init__.py`."""

__version__ = "0.1.0"
