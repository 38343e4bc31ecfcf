"""What all reproductions share: the report as a page, and all of them by one command."""

import json
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from support_cli import assert_refused
from typer.testing import CliRunner

from closedhand.arena import learners
from closedhand.cli import app, groups
from closedhand.cli.reproduce import Out, Quick, as_html, report_name, show_report
from closedhand.core.checks import InputError
from closedhand.core.file_kinds import COMMENT
from closedhand.papers.deeprocket import reproduction as deeprocket
from closedhand.papers.hankin import reproduction as hankin
from closedhand.papers.kou import reproduction as kou
from closedhand.papers.leduc_slides import reproduction as leduc_slides

REPORT = """# A paper & its <figures>

## Table 1

| agent | points |
|---|---|
| `kou` | 3.1 (2.9 to 3.3) |

Pictures: sweep.png, and none.png. See sweep.png again.
"""


@pytest.mark.parametrize("module", [deeprocket, hankin, kou, leduc_slides])
def test_plans_refuse_unknown_sections(module: Any) -> None:
    first, *_, last = module.SECTIONS
    assert module.Plan(sections=(last, first)).sections == (first, last)
    with pytest.raises(InputError) as refused:
        module.Plan(sections=(first, "other"))
    assert str(refused.value) == f"no section 'other'; there are {', '.join(module.SECTIONS)}"


def test_a_page_has_the_tables_and_the_pictures_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "sweep.png").write_bytes(b"")
    page = as_html(REPORT, tmp_path)
    assert page.startswith("<!doctype html>")
    assert "<title>A paper &amp; its &lt;figures&gt;</title>" in page
    assert "<h2>Table 1</h2>" in page and "<td>3.1 (2.9 to 3.3)</td>" in page
    assert page.count('<img src="sweep.png"') == 1 and "none.png" in page
    assert "<figures>" not in page and 'src="none.png"' not in page
    assert page.count("<table>") == page.count("</table>") == 1


def test_a_picture_that_a_report_shows_itself_is_shown_once(tmp_path: Path) -> None:
    (tmp_path / "curves.png").write_bytes(b"")
    page = as_html("# Curves\n\n![curves](curves.png)\n", tmp_path)
    assert page.count("<img") == 1


def test_a_report_is_saved_as_markdown_and_as_html(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show_report(tmp_path, REPORT, {"a": 1}, as_json=True, only="table-1")
    assert (tmp_path / "table-1.md").read_text() == f"{REPORT.rstrip()}\n\n{COMMENT}\n"
    assert "<h2>Table 1</h2>" in (tmp_path / "table-1.html").read_text()
    assert json.loads(capsys.readouterr().out) == {"a": 1}


def test_a_section_named_twice_names_the_report_once() -> None:
    assert [report_name(only) for only in (None, "a", "a, b,a")] == ["report", "a", "a-b"]


def test_all_reproductions_run_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of games that have the common options; others, like a table alone, are left out."""
    asked: list[tuple[str, dict[str, Any]]] = []

    def command(name: str) -> Any:
        def reproduce(
            out: Out = Path("runs"),
            quick: Quick = False,
            seed: Annotated[int, typer.Option()] = 0,
            more: int = 1,
        ) -> None:
            asked.append((name, {"out": out, "quick": quick, "seed": seed, "more": more}))

        return reproduce

    found = {"one": command("one"), "table": lambda as_json=False: 1 / 0, "two": command("two")}
    monkeypatch.setattr(groups, "commands_of_games", lambda verb: found)
    arguments = ["reproduce", "all", "--quick", "--seed", "5", "--out", str(tmp_path)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    shared = {"quick": True, "seed": 5, "more": 1}
    assert asked == [(name, {"out": tmp_path / name, **shared}) for name in ("one", "two")]
    page = (tmp_path / "index.html").read_text()
    assert page.count("/report.html") == 2 and 'href="one/report.html"' in page
    text = (tmp_path / "index.md").read_text()
    assert "(two/report.md)" in text and "seconds of the last command" in text


def test_a_folder_with_other_results_is_refused_before_the_learners_learn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learners, "compute", lambda *given: pytest.fail("learns"))
    (tmp_path / "match.json").write_text("{}", "utf-8")
    command = ("reproduce", "learners", "--only", "leduc/ppo", "--out", str(tmp_path))
    assert_refused("match.json is not the result of a learner", *command)


def test_the_four_papers_have_the_common_options() -> None:
    from closedhand.cli.reproduce import reproductions

    assert sorted(reproductions()) == ["chinese-poker", "deeprocket", "kou", "leduc"]
