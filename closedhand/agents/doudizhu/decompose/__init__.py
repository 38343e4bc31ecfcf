"""The agent `decompose`: partitions hands into plays and rates the hand that each play leaves."""
