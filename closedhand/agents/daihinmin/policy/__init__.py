"""The light policy of playouts, and the training of its weights."""
