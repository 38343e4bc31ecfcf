"""The pairs of position and choice that networks learn from."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import assert_alike_without_compiler, positions
from support_deeprocket import DOUDIZHU, decisions
from support_torch import QUIET

from closedhand import InputError, make_game
from closedhand.agents.doudizhu.deeprocket import pairs, recorded
from closedhand.games.doudizhu import rules as flat
from closedhand.games.doudizhu.counts import RANKS, pack
from closedhand.games.doudizhu.plays import GROUPS

pytest.importorskip("pyarrow")

pytestmark = QUIET


def groups(state: Any) -> set[int]:
    return {int(DOUDIZHU.rules.plays.group[action]) for action in DOUDIZHU.legal(state)}


def test_pairs_are_all_decisions_with_a_choice(folder: Path) -> None:
    games = recorded.read(folder, "greedy")
    policy, kicker = [], []
    substeps = games.game
    for number in range(12):
        for state, move, action in decisions(games, number):
            if not games.seats[number] >> state.player & 1:
                continue
            if len(groups(state)) > 1:
                policy.append((number, move, 0))
            step = state.copy()
            substeps.play(step, int(DOUDIZHU.rules.plays.group[action]))
            picked = 0
            while step.group >= 0:
                if len(substeps.legal(step)) > 1:
                    kicker.append((number, move, picked))
                step_to(substeps, step, action)
                picked += 1
    for kind, expected in (("policy", policy), ("kicker", kicker)):
        rows = pairs.index(games, kind)
        assert [tuple(row) for row in rows[rows[:, 0] < 12].tolist()] == expected


def step_to(substeps: Any, state: Any, action: int) -> int:
    """Play the kicker that leads on to a flat action: the lowest that is still missing."""
    group = DOUDIZHU.rules.plays.groups[state.group]
    missing = int(DOUDIZHU.rules.plays.need[action]) - int(group.need) - int(state.picked)
    rank = next(rank for rank in range(15) if missing >> 4 * rank & 15)
    chosen = GROUPS + rank + (15 if group.unit == 2 else 0)
    substeps.play(state, chosen)
    return chosen


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["policy", "kicker"])
def test_encoding_agrees_with_the_game(games: recorded.Games, kind: str) -> None:
    substeps = games.game
    rows = np.random.default_rng(0).permutation(pairs.index(games, kind))[:40]
    batch = pairs.Batch(*(each.numpy() for each in pairs.encode(games, kind, rows)))
    assert len({int(number) for *_, number in rows}) > (kind == "kicker")
    for i, (number, move, kicker) in enumerate(rows.tolist()):
        state, action = next(
            (state, action) for state, at, action in decisions(games, number) if at == move
        )
        label = int(DOUDIZHU.rules.plays.group[action])
        part, first = "observation", 0
        if kind == "kicker":
            part, first = "kicker", GROUPS
            substeps.play(state, label)
            for _ in range(kicker):
                step_to(substeps, state, action)
            label = step_to(substeps, state.copy(), action)
        seen = substeps.observe(state, int(state.player))
        assert (batch.planes[i] == seen[part].ravel()).all()
        assert (batch.status[i] == seen["status"]).all()
        assert (np.flatnonzero(batch.mask[i]) + first == substeps.legal(state)).all()
        assert batch.label[i] + first == label


def test_a_deal_is_always_on_the_same_side(games: recorded.Games) -> None:
    held = pairs.is_held_out(games.deals)
    assert (pairs.is_held_out(games.deals[::-1])[::-1] == held).all()
    dealt = np.array([DOUDIZHU.deal(np.random.default_rng(i)) for i in range(2000)], DOUDIZHU.dtype)
    assert 0.08 < pairs.is_held_out(recorded.deals_of(dealt)).mean() < 0.12


@pytest.mark.parametrize("spoil", ["actions", "deals", "more"])
def test_illegal_games_are_refused(games: recorded.Games, spoil: str) -> None:
    parts = ("actions", "deals", "offsets")
    changed = games._replace(**{name: getattr(games, name).copy() for name in parts})
    if spoil == "deals":
        changed.deals[7, 1] += np.uint64(1)
    elif spoil == "actions":
        changed.actions[changed.offsets[7]] = 60_000
    else:
        # A game that goes on after its end: that of number 8 is taken for its rest.
        changed.offsets[8:] = changed.offsets[[9, *range(9, len(changed.offsets))]]
    with pytest.raises(InputError, match="game 7 of the records is not legal"):
        pairs.index(changed, "policy")


@pytest.mark.slow
def test_pairs_are_alike_without_compiler(folder: Path) -> None:
    assert_alike_without_compiler(
        f"""
import zlib
from pathlib import Path
from closedhand.agents.doudizhu.deeprocket import pairs, recorded
games = recorded.read(Path({str(folder)!r}), "rule")
few = games._replace(deals=games.deals[:9], offsets=games.offsets[:10], seats=games.seats[:9])
for kind in ("policy", "kicker"):
    rows = pairs.index(few, kind)
    encoded = pairs.encode(few, kind, rows[:9])
    print(len(rows), *(zlib.crc32(part.numpy().tobytes()) for part in encoded))
"""
    )


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["deeprocket", "rlcard", "douzero"])
def test_an_action_of_a_record_is_legal_where_it_is_listed(rules: str) -> None:
    """In positions of random games, and with hands of few ranks against chains of trios."""
    game = make_game("doudizhu", rules=rules)
    plays, rng = game.rules.plays, np.random.default_rng(6)
    chains = np.flatnonzero(np.isin(plays.group[: plays.number], np.r_[129:174, 187:225]))
    states = [s.copy() for s in positions(game, seed=9, games=3) if not game.over(s)]
    for _ in range(60):
        state = states[0].copy()
        low = int(rng.integers(0, 8))
        deck = [rank for rank in RANKS[low : low + 5] for _ in range(4)]
        state.hands[state.player] = pack("".join(rng.permutation(deck)[:16]))
        state.target = rng.choice(chains)
        states.append(state)
    ids = np.empty(game.num_actions, np.int32)
    for state in states:
        legal = set(game.legal(state).tolist())
        some = rng.choice(plays.number, 200)
        for action in {*some.tolist(), *list(legal)[:200]}:
            assert flat.is_legal(game.rules, state, action, ids) == (action in legal)


def test_batches_depend_on_seed_and_step_only(games: recorded.Games) -> None:
    rows = pairs.index(games, "policy")
    stream_of = pairs.Stream(games, "policy", rows, 64, 3, 0)
    in_epoch = len(rows) // 64
    from_start = stream_of.batches_of_rows(0)
    chosen = [next(from_start) for _ in range(in_epoch + 2)]
    resumed = stream_of.batches_of_rows(in_epoch + 1)
    assert (next(resumed) == chosen[-1]).all()
    epoch = np.concatenate(chosen[:in_epoch])
    assert len(np.unique(epoch, axis=0)) == 64 * in_epoch
    assert (chosen[in_epoch] != chosen[0]).any()
