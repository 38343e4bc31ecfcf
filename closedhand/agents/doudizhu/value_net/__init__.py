"""The agent `value-net`: action values by a small network, trained in self-play by kernels.

`features` and `network` define the network, `files` writes and reads it, `agent` plays by it.
`training` trains it, on samples of `self_play` by the updates of `learning`. `bidding` and
`value_search` use it for other agents.
"""
