"""Games and options between which all code of the contract is compiled."""

VARIANTS = [
    ("uh_leduc", {}),
    ("leduc", {}),
    *(("doudizhu", {"rules": rules, "substeps": steps})
      for rules in ("deeprocket", "douzero", "rlcard", "openspiel", "mini", "tiny", "two_players")
      for steps in (False, True)),
    ("doudizhu", {"rules": "botzone"}),
    ("doudizhu", {"doubling": True, "open_hand": True, "bidding": True, "substeps": True}),
    ("daihinmin", {}),
    ("daihinmin", {"players": 3}),
    ("daihinmin", {"players": 6}),
    ("daihinmin", {"jokers": 2}),
    ("daihinmin", {"seven_give": True}),
    ("daihinmin", {"actions": "card_sets"}),
    ("chinese_poker", {}),
    ("chinese_poker", {"substeps": True}),
]  # fmt: skip
