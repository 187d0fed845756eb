"""Query understanding: spelling, compounds, languages, relaxation."""
