"""Settings: schema, validation and loading."""
