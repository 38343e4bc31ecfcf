"""DouZero's own answer to "what may be played?", in our notation (needs the `peers` extra)."""

import runpy
from types import SimpleNamespace

import douzero
from douzero.env.game import GameEnv

RANKS = "3456789TJQKA2SB"
THEIRS = dict(zip(RANKS, (*range(3, 15), 17, 20, 30), strict=True))
OURS = {card: rank for rank, card in THEIRS.items()}


def legal(hand: str, target: str | None) -> set[str]:
    """The legal actions of a hand as sorted cards, or PASS.

    Args:
        hand: Rank letters, low to high.
        target: The cards to beat, low to high, None for the leader.
    """
    position = SimpleNamespace(
        acting_player_position="landlord",
        info_sets={"landlord": SimpleNamespace(player_hand_cards=[THEIRS[c] for c in hand])},
        card_play_action_seq=[] if target is None else [[THEIRS[c] for c in target]],
    )
    moves = GameEnv.get_legal_card_play_actions(position)
    return {"".join(OURS[card] for card in move) or "PASS" for move in moves}


def values(network, table) -> dict[str, float]:
    """The value of every legal play by DouZero's own features and network, by sorted letters.

    Args:
        network: Parameters of the network of the role to act, by name.
        table: `reference.douzero_network.Table`.
    """
    import torch
    from douzero.env.env import get_obs
    from douzero.env.game import InfoSet

    roles = ("landlord", "landlord_down", "landlord_up")
    role = roles[len(table.actions) % 3]
    translated = [[THEIRS[card] for card in cards] for cards in table.actions]
    tail = ["", "", *table.actions]
    beaten = tail[-1] or tail[-2]
    sort = "3456789TJQKA2SB".index
    known = InfoSet(role)
    hands = dict(zip(roles, table.hands, strict=True))
    known.player_hand_cards = [THEIRS[card] for card in hands[role]]
    known.other_hand_cards = [THEIRS[c] for r in roles if r != role for c in hands[r]]
    known.num_cards_left_dict = {r: len(hands[r]) for r in roles}
    known.played_cards = {
        r: [THEIRS[card] for card in cards] for r, cards in zip(roles, table.played, strict=True)
    }
    known.last_move = [THEIRS[card] for card in beaten]
    known.last_move_dict = {
        r: [THEIRS[card] for card in cards] for r, cards in zip(roles, table.latest, strict=True)
    }
    known.bomb_num = table.bombs
    known.card_play_action_seq = translated
    moves = legal("".join(sorted(hands[role], key=sort)), beaten or None)
    names = sorted("" if move == "PASS" else move for move in moves)
    known.legal_actions = [[THEIRS[card] for card in name] for name in names]
    seen = get_obs(known)
    # Not by its package, whose other modules need libraries that only its training uses.
    (folder,) = douzero.__path__
    model_dict = runpy.run_path(f"{folder}/dmc/models.py")["model_dict"]
    model = model_dict[role]()
    model.load_state_dict(network)
    inputs = (torch.from_numpy(seen[key]) for key in ("z_batch", "x_batch"))
    with torch.inference_mode():
        found = model(*inputs, return_value=True)["values"][:, 0].tolist()
    return {"".join(sorted(name)): value for name, value in zip(names, found, strict=True)}
