"""The agent `decompose`: rates plays by a partition of the hand that each play leaves."""
