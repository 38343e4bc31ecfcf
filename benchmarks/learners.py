"""The learners of every game: steps a second of PPO and DMC in self-play, played and learned from.

A step is an action of a player, forced ones included. Every function repeats some work for about
`seconds` and returns a rate per second of CPU time, on one core.
"""

from functools import partial

from closedhand import make_game
from closedhand.arena.speed import rate


def ppo_steps(observation: str, seconds: float) -> float:
    """Measure steps a second of Dou Dizhu in sub-steps, with a network of two layers of 256."""
    from closedhand.learning.ppo import PPO, PPOSettings

    game = make_game("doudizhu", objective="win")
    learner = PPO(game, PPOSettings(observation=observation, width=256, layers=2))
    for _ in range(2):
        learner.advance(0.0)  # the first updates are small

    def work() -> int:
        before = learner.moves
        learner.advance(0.0)
        return learner.moves - before

    return rate(work, seconds)


def self_play_steps(algorithm: str, seconds: float) -> float:
    """Measure steps a second of Dou Dizhu in sub-steps, by `ppo` or `dmc` of equal settings."""
    from closedhand.learning.dmc import DMC, DMCSettings
    from closedhand.learning.ppo import PPO, PPOSettings

    game = make_game("doudizhu", objective="win")
    equal = {"observation": "compact", "width": 256, "layers": 2, "batch": 2048, "minibatch": 512}
    learner = (
        PPO(game, PPOSettings(**equal)) if algorithm == "ppo" else DMC(game, DMCSettings(**equal))
    )
    learner.advance(0.0)

    def work() -> int:
        before = learner.moves
        learner.advance(0.0)
        return learner.moves - before

    return rate(work, seconds)


RATIOS = (
    (
        "DMC in self-play, sub-steps, batch 2,048, minibatch 512",
        partial(self_play_steps, "dmc"),
        "steps/s",
        "PPO of equal settings",
        partial(self_play_steps, "ppo"),
        0.5,
    ),
    (
        "PPO in self-play, sub-steps, compact observation",
        partial(ppo_steps, "compact"),
        "steps/s",
        "the same with planes",
        partial(ppo_steps, "planes"),
        2.5,
    ),
)

RATES = ()
