"""Where commands write to: what cannot be written to is one line, before the work begins."""

import re
import shlex
from pathlib import Path

import pytest
from support_cli import run
from support_lines import LINES, prepare

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("own_cache")]

WRITING = [line for line in LINES if re.search(r"--(out|picture) ", line)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", ["taken", "taken/below", "taken/below/it.png"])
@pytest.mark.parametrize("line", WRITING)
def test_a_file_in_the_way_of_the_output_is_one_line(
    line: str, target: str, tmp_path: Path
) -> None:
    prepare(tmp_path)
    (tmp_path / "taken").write_text("mine")
    changed = re.sub(r"--(out|picture) \S+", rf"--\1 {target}", line)
    result = run(*shlex.split(changed))
    assert result.exception is None or isinstance(result.exception, SystemExit), changed
    assert "Traceback" not in result.output
    if result.exit_code:
        assert result.exit_code == 2, result.output
        assert result.stderr.strip().count("\n") == 0, result.stderr
    else:
        # A file is replaced by a command that writes one file.
        assert target == "taken", changed
