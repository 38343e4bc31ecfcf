"""Logistic regression."""

import numpy as np

from closedhand.learning import logistic


def test_logistic_recovers_known_weights() -> None:
    rng = np.random.default_rng(0)
    features = np.concatenate([np.ones((30_000, 1)), rng.normal(size=(30_000, 2))], axis=1)
    true = np.array([-0.5, 1.0, -0.3])
    won = (rng.random(30_000) < logistic.chances_of(features, true)).astype(float)
    weights, errors = logistic.logistic(features, won, np.arange(30_000))
    assert (abs(weights - true) < 4 * errors).all()
    assert (errors > 0.008).all() and (errors < 0.02).all()
    # Observations that are the same twice are worth one.
    twice = [np.repeat(part, 2, axis=0) for part in (features, won, np.arange(30_000))]
    again, clustered = logistic.logistic(twice[0], twice[1], twice[2])
    np.testing.assert_allclose(again, weights)
    np.testing.assert_allclose(clustered, errors)
    rows = logistic.calibration(logistic.chances_of(features, weights), won)
    assert len(rows) == 10 and sum(row["number"] for row in rows) == 30_000
    assert all(abs(row["predicted"] - row["observed"]) < 0.04 for row in rows)
    rows = logistic.calibration(np.array([0.6, 0.2]), np.array([1, 0]))
    assert [row["predicted"] for row in rows] == [0.2, 0.6]
