"""In which language is a text?"""
