"""What a Ray cluster gains: `python -m benchmarks.cluster`, for `docs/cluster.md`.

Figures are processor time, which a busy machine stretches less than the clock. An actor is a worker
process. The last column of the first table is how many times as fast two are as one on idle cores.
"""

import pickle
import statistics
import time
from typing import Any

from closedhand import make_game
from closedhand.arena import match
from closedhand.bridges.cluster import Cluster
from closedhand.core.duplicate import play_chunk
from closedhand.core.machine import processor
from closedhand.learning.dmc import DMC, DMCSettings
from closedhand.learning.ppo import PPO, PPOSettings
from closedhand.learning.selfplay import Record, cut

LEARNERS: list[tuple[str, Any, Any]] = [
    ("doudizhu", PPO, PPOSettings),
    ("doudizhu", DMC, DMCSettings),
    ("daihinmin", PPO, PPOSettings),
    ("leduc", PPO, PPOSettings),
]


def timed_chunk(*job: Any) -> tuple[match.Chunk, float]:
    """Play a chunk of a match; return it, and the processor time that it took."""
    start = time.process_time()
    return play_chunk(*job), time.process_time() - start


def matches() -> None:
    """Print what a duplicate match by kernels costs the actors and this process, the driver."""
    game = make_game("doudizhu")
    jobs = [(game, ["rule", "greedy"], 0, range(i, i + 125)) for i in range(0, 7500, 125)]
    with Cluster() as cluster:
        list(cluster.results_of(timed_chunk, jobs[:4]))
        start, before = time.process_time(), time.perf_counter()
        found = list(cluster.results_of(timed_chunk, jobs))
        driver, passed = time.process_time() - start, time.perf_counter() - before
        empty = time.perf_counter()
        for _ in range(100):
            list(cluster.results_of(int, [()]))
        empty = (time.perf_counter() - empty) / 100
    games = sum(chunk.returns[..., 0].size for chunk, _ in found)
    decisions = sum(int(chunk.decisions.sum()) for chunk, _ in found)
    actor = sum(seconds for _, seconds in found)
    sent = sum(len(pickle.dumps(chunk)) for chunk, _ in found)
    print("| µs a game, actor | driver | bytes a decision | games/s now | empty call, ms | 2 v 1 |")
    print("|---|---|---|---|---|---|")
    print(
        f"| {actor / games * 1e6:.0f} | {driver / games * 1e6:.0f} | {sent / decisions:.2f} "
        f"| {games / passed:,.0f} | {empty * 1e3:.1f} | {2 * actor / (actor + driver):.2f} |\n"
    )


def updates(game: str, cls: Any, settings: Any, rounds: int = 5) -> None:
    """Print what a decision costs in an update, and the gain by two actors and by many."""
    learner = cls(make_game(game), settings(pieces=4))
    for _ in range(3):
        learner.advance(0.0)  # the first updates are small
    rows = []
    for _ in range(rounds):
        pieces = cut(learner.games_in_update, 4, learner.updates)
        clock = [time.process_time()]
        waves = [learner.play_piece(piece, {}) for piece in pieces]
        records = [Record(wave.played, wave.notes) for wave in waves]
        clock.append(time.process_time())
        again = [
            learner.play_piece(piece, {}, record)
            for piece, record in zip(pieces, records, strict=True)
        ]
        clock.append(time.process_time())
        number, before = sum(len(wave.actions) for wave in again), learner.decisions
        learner.advance(0.0)
        clock.append(time.process_time())
        play, encode = (clock[1] - clock[0]) / number, (clock[2] - clock[1]) / number
        learn = (clock[3] - clock[2]) / (learner.decisions - before) - play
        sent = sum(len(pickle.dumps(record)) for record in records) / number
        rows.append((play * 1e6, encode * 1e6, learn * 1e6, sent))
    play, encode, learn, sent = map(statistics.median, zip(*rows, strict=True))
    print(
        f"| {game} | {cls.name} | {play:.0f} | {encode:.0f} | {learn:.0f} | {sent:.1f} "
        f"| {(play + learn) / (play / 2 + encode + learn):.2f} "
        f"| {(play + learn) / (encode + learn):.2f} |",
        flush=True,
    )


if __name__ == "__main__":
    print(processor(), "\n")
    matches()
    print("| game | learner | play, µs | encode | learn | bytes | 2 actors | many actors |")
    print("|---|---|---|---|---|---|---|---|")
    for row in LEARNERS:
        updates(*row)
