"""One HTTP request, made safely."""
