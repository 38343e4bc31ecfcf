"""Ray Tune: a sweep over settings of our PPO on Leduc, judged by exact exploitability.

    python examples/ray_tune.py

A trial runs a learner of this package and reports `REPORTS` times; the scheduler stops trials that
are far behind. Exploitability is exact, so that trials are compared without matches. In a larger
game a trial would report the score of a match instead.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ray
from ray import tune
from ray.tune.schedulers import ASHAScheduler
from ray.tune.search import BasicVariantGenerator

from closedhand import make_game
from closedhand.learning.ppo import PPO, PPOSettings
from closedhand.solvers.strategy import evaluate, strategy_of

REPORTS = 4


def trial(given: dict[str, Any]) -> None:
    """Learn with some settings, and report how exploitable the agent is."""
    steps = given.pop("steps")
    learner = PPO(make_game("leduc"), PPOSettings(width=64, batch=1024, **given), seed=1)
    start = time.process_time()
    for part in range(1, REPORTS + 1):
        while learner.moves < steps * part / REPORTS:
            learner.advance(0.0)
        judged = evaluate(strategy_of(learner.game, learner.agent()))
        speed = learner.moves / (time.process_time() - start)
        tune.report(
            {"exploitability": judged.exploitability, "moves": learner.moves, "speed": speed}
        )


def main(arguments: list[str] | None = None) -> float:
    """Run the sweep; print the trials, and return the least exploitability."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=60_000, help="actions played in a trial")
    parser.add_argument("--trials", type=int, default=6)
    given = parser.parse_args(arguments)
    space = {
        "entropy": tune.loguniform(0.003, 0.3),
        "learning_rate": tune.loguniform(3e-4, 1e-2),
        "magnet": tune.choice([0.0, 0.2]),
        "steps": given.steps,
    }
    ray.init("local", num_cpus=2, include_dashboard=False, configure_logging=False)
    try:
        with TemporaryDirectory() as folder:
            found = tune.Tuner(
                trial,
                param_space=space,
                tune_config=tune.TuneConfig(
                    metric="exploitability", mode="min", num_samples=given.trials,
                    scheduler=ASHAScheduler(max_t=REPORTS, grace_period=2),
                    search_alg=BasicVariantGenerator(random_state=1),
                ),
                run_config=tune.RunConfig(storage_path=str(Path(folder)), verbose=0),
            ).fit()  # fmt: skip
    finally:
        ray.shutdown()
    for each in sorted(found, key=lambda each: each.metrics["exploitability"]):
        settings = {name: each.config[name] for name in ("entropy", "learning_rate", "magnet")}
        told = ", ".join(f"{name} {value:.3g}" for name, value in settings.items())
        print(
            f"exploitability {each.metrics['exploitability']:.3f} after {each.metrics['moves']:,} "
            f"actions, {each.metrics['speed']:,.0f} a second of processor time: {told}"
        )
    return found.get_best_result().metrics["exploitability"]


if __name__ == "__main__":
    main()
