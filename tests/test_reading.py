"""A folder that is asked while others write to it."""

from pathlib import Path
from threading import Thread

from byway.backends.embedded.database import open_to_write
from byway.backends.embedded.documents import documents_to_write
from byway.engine import Engine
from byway.index import add_new
from byway.model import Document, Query, Url, UrlId
from byway.packed import pack
from byway.settings import Settings
