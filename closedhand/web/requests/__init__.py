"""Requests of the page, by subject: tables, hints, study of records and positions, small games."""

from importlib import import_module

SUBJECTS = ("table", "hints", "study", "solver")


def register() -> None:
    """Register all requests: each module does so when it is imported."""
    for subject in SUBJECTS:
        import_module(f"{__name__}.{subject}")
