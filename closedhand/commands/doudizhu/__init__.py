"""Commands of Dou Dizhu: training of networks and bids, the DeepRocket paper."""
