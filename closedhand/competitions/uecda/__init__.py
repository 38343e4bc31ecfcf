"""The protocol of the UECda Daihinmin competition, number 20070: a server and a client for it."""
