"""Softmax policies of Daihinmin: the light one, the pattern one with its agent, their training."""
