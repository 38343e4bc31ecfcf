"""Networks modelled on the DeepRocket paper: records, training, agents."""
