"""The web server: pages for people and a JSON API for programs.

`app.py` collects every module in `pages/` and `api/` that has a function `routes(site)`, which
returns a `PageRouter` with the routes and their policy (access, load class, caching). To add a
page, add one module.
"""
