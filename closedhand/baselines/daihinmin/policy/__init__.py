"""The light policy of playouts, and how its weights are fitted."""
