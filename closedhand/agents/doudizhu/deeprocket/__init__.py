"""Networks after the DeepRocket paper: records, training, agents."""
