"""The agent `search`: determinised search over the plays that `decompose` rates highest."""
