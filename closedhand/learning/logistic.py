"""Logistic regression by Newton's method, with calibration and log loss for evaluation.

1. Compute the gradient and the information matrix of the log-likelihood.
2. Add the inverse information times the gradient to the weights, until a step is smaller than
   `CONVERGED`, or `STEPS` times.
3. Sum the gradients by cluster for standard errors that are robust to dependence within a cluster.
"""

import numpy as np

STEPS = 25
CONVERGED = 1e-9


def logistic(
    features: np.ndarray, won: np.ndarray, groups: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Fit a logistic model: weights and standard errors clustered by group, float64 [k] each.

    Features are float64 [n, k], results (`won`) 0 or 1 [n], groups integers [n] from 0 on.
    """
    weights = np.zeros(features.shape[1])
    for _ in range(STEPS):
        residuals, spread = _derivatives(features, won, weights)
        step = spread @ residuals.sum(axis=0)
        weights = weights + step
        if abs(step).max() < CONVERGED:
            break
    residuals, spread = _derivatives(features, won, weights)
    by_group = np.stack([np.bincount(groups, column) for column in residuals.T], axis=1)
    return weights, np.sqrt(np.diag(spread @ (by_group.T @ by_group) @ spread))


def _derivatives(
    features: np.ndarray, won: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the gradient of each observation's log-likelihood, and the inverse information."""
    chances = chances_of(features, weights)
    information = (features * (chances * (1 - chances))[:, None]).T @ features
    # The pseudo-inverse keeps at 0 the weight of a feature that is always 0.
    return features * (won - chances)[:, None], np.linalg.pinv(information, hermitian=True)


def chances_of(features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Predict probabilities by a logistic model, float64 [n]."""
    return 1 / (1 + np.exp(-(features @ weights)))


def calibration(chances: np.ndarray, won: np.ndarray) -> list[dict[str, float]]:
    """Compare predicted and observed frequencies in at most ten groups of nearly equal size.

    The groups go from low to high predictions; each has `number`, `predicted` and `observed`.
    """
    order = np.argsort(chances, kind="stable")
    return [
        {
            "number": len(part),
            "predicted": round(float(chances[part].mean()), 4),
            "observed": round(float(won[part].mean()), 4),
        }
        for part in np.array_split(order, 10)
        if len(part)
    ]


def log_loss(chances: np.ndarray, won: np.ndarray) -> float:
    """Compute the mean negative logarithm of the predicted probabilities of the results."""
    return float(-np.log(np.where(won > 0, chances, 1 - chances)).mean())
