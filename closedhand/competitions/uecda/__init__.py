"""A server and a client of protocol 20070, that of the UECda Daihinmin competition."""
