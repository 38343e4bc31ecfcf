"""The command that fits bids."""

import json
from pathlib import Path

import typer
from typer.testing import CliRunner

from closedhand.agents.doudizhu.bidding import fitting as bid_fitting
from closedhand.cli.groups import Commands
from closedhand.commands.doudizhu.bids import bids


def command() -> typer.Typer:
    app = typer.Typer(cls=Commands, pretty_exceptions_enable=False)
    app.command("bids")(bids)
    app.callback()(lambda: None)
    return app


def test_command_fits_and_shows(tmp_path: Path) -> None:
    given = ["bids", "--agent", "rule", "--games", str(bid_fitting.FEWEST), "--out", str(tmp_path)]
    shown = CliRunner().invoke(command(), given)
    assert shown.exit_code == 0, shown.output
    assert "the least chance of winning for a bid" in shown.stdout
    saved = json.loads((tmp_path / "bids.json").read_text())
    again = CliRunner().invoke(command(), [*given, "--json"])
    assert json.loads(again.stdout) == saved


def test_command_refuses_bad_input(tmp_path: Path) -> None:
    for wrong in (["--games", "10"], ["--agent", "nobody"], ["--option", "bidding=true"]):
        refused = CliRunner().invoke(command(), ["bids", "--out", str(tmp_path), *wrong])
        assert refused.exit_code == 2
        message = refused.stderr.strip()
        assert message.startswith("closedhand: ") and "\n" not in message


def test_another_fit_is_not_overwritten(tmp_path: Path) -> None:
    made = tmp_path / "bids.json"
    made.write_text('{"agent": "rule", "games": 3000, "features": [], "weights": []}')
    refused = CliRunner().invoke(command(), ["bids", "--agent", "rule", "--out", str(tmp_path)])
    assert refused.exit_code == 2
    assert "bids.json is of another fit" in refused.stderr
    assert not (tmp_path / "deals.npz").exists()
