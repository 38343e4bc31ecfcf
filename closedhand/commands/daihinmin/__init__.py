"""Commands of Daihinmin: the competition's protocol, fitted playouts, the kou paper."""
