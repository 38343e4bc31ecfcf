"""The entry point of the command `closedhand`.

It stands beside the package, so that importing that is already under its care: most of the time
that the program takes to start.
"""


def main() -> None:
    """Run the command line; Ctrl-C while the program starts ends it without a word."""
    try:
        from closedhand.cli import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
