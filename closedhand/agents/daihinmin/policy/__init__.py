"""Softmax policies of Daihinmin: the light one, the pattern one, their training and agents."""
