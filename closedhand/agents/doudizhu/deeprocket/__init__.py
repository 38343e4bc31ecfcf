"""The networks of the DeepRocket paper: records, training, agents."""
