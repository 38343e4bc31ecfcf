"""Commands as a person types them."""

from typer.testing import CliRunner, Result

from closedhand.cli import app


def run(*arguments: str, text: str | None = None) -> Result:
    """What a command prints, and its exit code; `text` is what is typed in meanwhile."""
    return CliRunner().invoke(app, list(arguments), input=text)


def run_to(code: int, *arguments: str) -> Result:
    """What a command prints that ends with an exit code."""
    result = run(*arguments)
    assert result.exit_code == code, result.output
    return result


def assert_refused(reason: str, *arguments: str) -> None:
    """By one line, and nothing is printed."""
    result = run_to(2, *arguments)
    assert reason in result.stderr
    assert result.stderr.strip().count("\n") == 0
    assert result.stdout == ""
