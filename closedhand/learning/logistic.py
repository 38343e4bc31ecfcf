"""Logistic regression: fitted by Newton's method, evaluated by calibration and log loss."""

import numpy as np

STEPS = 25
CONVERGED = 1e-9


def logistic(
    features: np.ndarray, won: np.ndarray, groups: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Fit a logistic model.

    Args:
        features: float64 [n, k].
        won: 0 or 1, [n].
        groups: Cluster of each observation, integers [n], numbered from 0.

    Returns:
        The weights and their standard errors (clustered by group), float64 [k] each.
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
    """The gradient of each observation's log likelihood, and the inverse of the information."""
    chances = chances_of(features, weights)
    information = (features * (chances * (1 - chances))[:, None]).T @ features
    # The pseudo-inverse leaves a feature that never varies at 0.
    return features * (won - chances)[:, None], np.linalg.pinv(information, hermitian=True)


def chances_of(features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Predicted probabilities of a logistic model, float64 [n]."""
    return 1 / (1 + np.exp(-(features @ weights)))


def calibration(chances: np.ndarray, won: np.ndarray, parts: int = 10) -> list[dict[str, float]]:
    """Predicted and observed frequencies in equal parts of the observations, from low to high.

    Returns:
        For each part the keys `number`, `predicted` and `observed`.
    """
    order = np.argsort(chances, kind="stable")
    return [
        {
            "number": len(part),
            "predicted": round(float(chances[part].mean()), 4),
            "observed": round(float(won[part].mean()), 4),
        }
        for part in np.array_split(order, parts)
    ]


def log_loss(chances: np.ndarray, won: np.ndarray) -> float:
    """Mean negative logarithm of the predicted probability of what happened."""
    return float(-np.log(np.where(won > 0, chances, 1 - chances)).mean())
