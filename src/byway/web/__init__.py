"""The search page and its API: what people and programs see.

`app.py` puts the pages together: every module here that has `routes(site)` is one. To add a
page, add a module; there is no list to edit.
"""
