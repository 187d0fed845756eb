"""Query understanding: spelling, compounds, languages, relaxing."""
