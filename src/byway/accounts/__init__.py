"""Who is this, and what may they do? Passwords, sessions, keys, and what each person prefers."""
