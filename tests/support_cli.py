"""Commands as a person types them."""

from typer.testing import CliRunner, Result

from closedhand.cli import app


def run(*arguments: str, text: str | None = None) -> Result:
    """What a command prints, and its exit code; `text` is what is typed in meanwhile."""
    return CliRunner().invoke(app, list(arguments), input=text)
