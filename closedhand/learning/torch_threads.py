"""Number of threads of PyTorch, a setting of the whole process that a training chooses."""

import torch

_chosen = False


def choose_threads(number: int) -> None:
    """Set the number of threads for a training; agents that are made later do not change it."""
    global _chosen
    _chosen = True
    torch.set_num_threads(number)


def one_thread_unless_chosen() -> None:
    """Use one thread, as matches run agents in many processes, unless a training chose a number."""
    if not _chosen:
        torch.set_num_threads(1)
