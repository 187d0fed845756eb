"""Why is nothing found, or not this page?"""
