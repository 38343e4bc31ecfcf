"""The DeepRocket paper's networks: records, training, agents."""
