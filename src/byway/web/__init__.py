"""The web server: pages for people and a JSON API for programs.

`app.py` collects them: every module in `pages/` and `api/` with a function `routes(site)`. It
returns a `PageRouter` with the routes and their policy (access, load class, caching). To add a
page, add one module.
"""
