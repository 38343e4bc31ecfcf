"""The entry point of the command `closedhand`.

It stands beside the package, so that importing that is already under its care: most of the time
that the program takes to start.
"""

import os
import sys


def main() -> None:
    """Run the command line; Ctrl-C while the program starts ends it without a word."""
    try:
        os.getcwd()
    except FileNotFoundError:
        # Libraries ask for it when they are imported.
        print("closedhand: the working folder is gone; change to another one", file=sys.stderr)
        raise SystemExit(2) from None
    try:
        from closedhand.cli import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
