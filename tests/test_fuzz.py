"""Every parser takes what it is given or refuses it in one line; see `support_fuzz`.

The suite tries few inputs, always the same. `make fuzz` tries more, and others every time: as many
times more as `CLOSEDHAND_FUZZ` says.
"""

import runpy
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from support import DATA, FUZZ, examples
from support_cli import run
from support_frames import FRAMED, NPY, framed, opened
from support_fuzz import PIECES, TARGETS, guarded, mutated, survives

TARGETS = TARGETS | FRAMED
CORPUS: dict[str, list[bytes]] = runpy.run_path(str(DATA / "fuzz" / "corpus.py"))["CORPUS"]

every_target = pytest.mark.parametrize("name", TARGETS)
usual = settings(
    deadline=None,
    database=None,
    derandomize=FUZZ == 1,
    suppress_health_check=list(HealthCheck),
)

PIECE = 300


class Samples(list[bytes]):
    """Valid inputs of a target; Hypothesis shows arguments, and networks are long."""

    def __repr__(self) -> str:
        """Say how many there are."""
        return f"<{len(self)} samples>"


@cache
def samples(name: str) -> list[bytes]:
    """Valid inputs, which are parsed: from then on what parsing needs is compiled and loaded."""
    found = Samples(TARGETS[name].samples())
    for sample in found:
        TARGETS[name].parse(sample)
    return found


class Input(bytes):
    """What a parser gets; Hypothesis shows what fails, and some are megabytes."""

    def __repr__(self) -> str:
        """Say how it begins."""
        return f"<{len(self)} bytes, {bytes(self[:60])!r}…>"


def all_survive(name: str, inputs: st.SearchStrategy[bytes]) -> None:
    """Try inputs at a target, in pieces: Hypothesis holds those of a run, some of megabytes."""

    def fuzz(data: Input) -> None:
        survives(TARGETS[name], data)

    number = examples(20)
    for start in range(0, number, PIECE):
        settings(usual, max_examples=min(PIECE, number - start))(given(inputs.map(Input))(fuzz))()


@every_target
def test_valid_inputs_are_taken(name: str) -> None:
    assert samples(name)


@every_target
def test_garbage_and_mutations_are_refused_in_one_line(name: str) -> None:
    texts = st.text(max_size=60).map(lambda text: text.encode(errors="surrogatepass"))
    garbage = st.one_of(texts, st.binary(max_size=200), st.sampled_from(PIECES))

    all_survive(name, st.one_of(mutated(samples(name)), mutated(samples(name)), garbage))


@pytest.mark.parametrize("magic", [b"PK\3\4", b"\x1f\x8b", NPY])
def test_a_frame_that_is_damaged_itself_is_none(magic: bytes) -> None:
    assert opened(magic) is None


@every_target
def test_hostile_bytes_inside_valid_frames_are_refused_in_one_line(name: str) -> None:
    all_survive(name, framed(samples(name)))


@pytest.mark.parametrize("name", [name for name, each in TARGETS.items() if each.variants])
def test_other_structures_are_refused_in_one_line(name: str) -> None:
    variants = TARGETS[name].variants
    assert variants is not None

    all_survive(name, variants(samples(name)))


@pytest.mark.parametrize("name", CORPUS)
def test_what_once_broke_a_parser_is_refused(name: str) -> None:
    samples(name)
    for data in CORPUS[name]:
        assert not survives(TARGETS[name], data), data[:60]


# The words of a command line: each is cheap to carry out, whatever they say.
COMMANDS: dict[str, tuple[str, ...]] = {
    "play": ("GAME", "--seed", "--seat", "--deal", "--rules", "--option", "--agents", "--hint"),
    "match": ("GAME", "--seed", "--rules", "--option", "--agents", "--resume", "--out"),
    "advise": ("GAME", "HAND", "--top", "--rules", "--opponents", "--picture"),
    "show": ("leduc-graph", "--strategy"),
    "show chinese-poker-table": ("--tables", "--step", "--rules"),
    "records replay": ("FILE", "--game", "--rules", "--option", "--verbose", "--json"),
    "records export": ("FILE", "--out", "--game", "--rules", "--option"),
    "solve": ("GAME", "--algorithm", "--rules", "--option", "--resume", "--pair"),
}
CHEAP = {
    "match": ("--deals", "1", "--workers", "1"),
    "solve": ("--iterations", "1"),
    "advise": ("--opponents", "0"),
}
WORDS = (
    "", "-", "--", "0", "1", "-1", "2", "99999999999999999999", "9" * 5000, "1e999", "nan", "٣",
    "²", "true", "no", "leduc", "uh-leduc", "uh_leduc", "LEDUC", "random", "random,random",
    "random[seed=1]", "kou", "random:x", "rules=uh", "pair=card", "pair=", "=", "name=1",
    "SK;HQ;SA", "SK", "As" * 13, "AsKsQsJsTs9s8s7s6s5s4s3s2s", "nothing.npz",
    "nothing.jsonl", "/", ".", "..", "/dev/null", "\ud800", "x" * 5000, "▒", "a\nb", "\x1b[2J",
    "[" * 300, "'", '"', "[]", "%s", "{}", "game.log", "x.jsonl",
)  # fmt: skip


@st.composite
def commands(draw: st.DrawFn) -> list[str]:
    """A command with some of its options, and odd words as their values."""
    name = draw(st.sampled_from(sorted(COMMANDS)))
    words = [*name.split(), *CHEAP.get(name, ())]
    word = st.one_of(st.sampled_from(WORDS), st.text(max_size=8))
    for option in draw(st.lists(st.sampled_from(COMMANDS[name]), max_size=5)):
        if option.isupper():
            words.append(draw(st.one_of(st.just("leduc"), word)))
        elif option.startswith("--") and option not in ("--resume", "--json"):
            words += [option, draw(word)]
        else:
            words.append(option)
    return words


@pytest.mark.slow
@pytest.mark.usefixtures("own_cache")
def test_a_command_line_is_carried_out_or_refused() -> None:
    @settings(usual, max_examples=examples(40))
    @given(commands())
    def fuzz(words: list[str]) -> None:
        with guarded():
            result = run(*words, text="quit\n")
        assert result.exit_code in (0, 1, 2), (words, result.output)
        assert result.exception is None or isinstance(result.exception, SystemExit), words
        if result.exit_code == 2:
            assert result.output

    fuzz()
