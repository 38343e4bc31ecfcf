"""Targets for fuzzing: every parser of what others write, its valid inputs, and inputs beside them.

A parser either takes an input or raises an `InputError` of one line, soon and without much memory.
"""

import asyncio
import base64
import gzip
import io
import json
import resource
import signal
import struct
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from support import DATA, HOUSE_RULES, VARIANTS, positions
from support_notation import format_record

from closedhand import InputError, make_game
from closedhand.core import records
from closedhand.core.agent_spec import AgentSpec, split_agents
from closedhand.core.agents import traits_of
from closedhand.core.parsing import parse_json
from closedhand.core.registry import load
from closedhand.core.text import MOST

SECONDS = 20
"""Most seconds of the processor for an input, its file included."""
MEMORY = 2**19
"""Most KiB by which an input may raise the peak of memory."""

PIECES = (
    b"", b" ", b"\n", b"\r", b"\t", b"\0", b";", b",", b":", b"/", b"%", b"=", b"'", b'"', b"[",
    b"]", b"{", b"}", b"*", b"?", b"-", b"-1", b"0", b"1e999", b"-Infinity", b"NaN", b"null",
    b"true", b"\\ud800", b"\\u0000", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe",
    b"\x1f\x8b", b"PAR1", b"PK\x03\x04", "▒²٣é\u2028".encode(), "柔道".encode("gbk"),
    b"9" * 25, b"9" * 5000, b"[" * 500, b'{"a":' * 100, b"x" * 2000, b"\x80\0\0\0",
    b"\x7f\xff\xff\xff", b"\xff" * 8, b"PASS", b"As", b"10",
)  # fmt: skip
"""What mutations insert."""

VALUES = (
    None, True, False, 0, -1, 1, 2, 2**31, 2**63, 2**64, -(2**70), 10**299, 0.5, -0.0, 1e308, "",
    "x", "0", "\0", "\ud800", "\n", "▒", "x" * 2000, [], [[]], {}, [None], ["x"], [0], {"a": None},
    [1, [2]],
)  # fmt: skip
"""What takes the place of values in JSON."""


@dataclass(frozen=True)
class Target:
    """A parser under test.

    Attributes:
        parse: Parses an input.
        samples: Makes valid inputs.
        variants: Makes a strategy of structured inputs beside the valid ones; None: there is none.
    """

    parse: Callable[[bytes], object]
    samples: Callable[[], list[bytes]]
    variants: Callable[[list[bytes]], st.SearchStrategy[bytes]] | None = None


@contextmanager
def guarded() -> Iterator[None]:
    """Within limits of time (of the processor: a busy machine changes nothing) and memory."""

    def too_long(*_: object) -> None:
        raise TimeoutError(f"an input took more than {SECONDS} seconds")

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    handler = signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, handler)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < MEMORY, f"an input took {grown >> 10} MiB"


def survives(target: Target, data: bytes) -> bool:
    """Whether a target takes an input; it may refuse it, in one line."""
    with guarded():
        try:
            target.parse(data)
        except InputError as error:
            assert str(error) and str(error).isprintable() and len(str(error)) <= MOST
            return False
    return True


@st.composite
def mutated(draw: st.DrawFn, samples: list[bytes]) -> bytes:
    """Valid inputs in which some pieces are cut out or replaced."""
    data = draw(st.sampled_from(samples))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = start + draw(st.sampled_from((0, 0, 1, 1, 2, 5, 40, len(data))))
        other = draw(st.sampled_from(samples))
        cut = draw(st.integers(0, len(other)))
        piece = draw(
            st.one_of(
                st.sampled_from(PIECES), st.binary(max_size=4), st.just(other[cut : cut + 60])
            )
        )
        data = data[:start] + piece + data[end:]
    return data


@st.composite
def odd_json(draw: st.DrawFn, samples: list[bytes]) -> bytes:
    """Valid JSON in which some values are replaced or dropped, or keys are new."""
    data = json.loads(draw(st.sampled_from(samples)))
    for _ in range(draw(st.integers(1, 3))):
        place, key = data, None
        holder: Any = None
        while isinstance(place, dict | list) and place and (key is None or draw(st.booleans())):
            holder = place
            keys = sorted(place) if isinstance(place, dict) else range(len(place))
            key = draw(st.sampled_from(keys))
            place = holder[key]
        if holder is None:
            break
        match draw(st.integers(0, 9)):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[draw(st.sampled_from(("name", "self", "game", "", "rounds", "x")))] = place
            case _:
                holder[key] = deepcopy(draw(st.sampled_from(VALUES)))
    return json.dumps(data).encode()


@st.composite
def odd_lines(draw: st.DrawFn, samples: list[bytes]) -> bytes:
    """Valid JSON lines, one of them as `odd_json` has it."""
    lines = draw(st.sampled_from(samples)).splitlines()
    place = draw(st.integers(0, len(lines) - 1))
    lines[place] = draw(odd_json([lines[place]]))
    return b"\n".join(lines)


def odd_arrays(samples: list[bytes]) -> st.SearchStrategy[bytes]:
    """Valid npz files in which an array has another type, shape or value, or is missing."""
    odd = (
        np.array(None, object), np.array("x"), np.array(b"x"), np.empty(0), np.zeros((0, 3)),
        np.array(np.nan), np.full((2, 3), np.inf), np.array([1 + 2j]), np.array(2**63, "u8"),
        np.zeros(3, "M8[s]"), np.zeros((), [("a", "f4")]), np.array('{"a": NaN}'),
        np.array("[" * 500), np.array("9" * 5000), np.array(True),
    )  # fmt: skip

    @st.composite
    def changed(draw: st.DrawFn) -> bytes:
        with np.load(io.BytesIO(draw(st.sampled_from(samples)))) as file:
            arrays = dict(file)
        for _ in range(draw(st.integers(1, 2))):
            key = draw(st.sampled_from(sorted(arrays)))
            array = arrays[key]
            match draw(st.integers(0, 6)):
                case 0:
                    arrays[key] = draw(st.sampled_from(odd))
                case 1 if len(arrays) > 1:
                    del arrays[key]
                case 2:
                    kind = draw(st.sampled_from(("f4", "i8", "u1", "?", "U3", "S2", "c16")))
                    # Not every value can be converted; some conversions only warn.
                    with suppress(Exception), warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        arrays[key] = array.astype(kind)
                case 3 if array.ndim:
                    arrays[key] = draw(st.sampled_from((array[:-1], array[None], array.ravel())))
                case 4 if array.dtype.kind == "U":
                    text = str(array).encode()
                    with suppress(ValueError):
                        arrays[key] = np.array(draw(odd_json([text])).decode())
                case 5 if array.dtype.kind in "fiu" and array.size:
                    array.flat[draw(st.integers(0, array.size - 1))] = draw(
                        st.sampled_from((0, 1, 2, 127))
                    )
                case _:
                    arrays["more"] = draw(st.sampled_from(odd))
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        return buffer.getvalue()

    return changed()


def in_file(suffix: str, parse: Callable[[Path], object]) -> Callable[[bytes], object]:
    """A parser of files as a parser of their content."""

    def parse_content(data: bytes) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"file{suffix}"
            path.write_bytes(data)
            return parse(path)

    return parse_content


def as_text(parse: Callable[[str], object]) -> Callable[[bytes], object]:
    """A parser of text, which may hold what no encoding has, as a parser of bytes."""
    return lambda data: parse(data.decode(errors="surrogateescape"))


# Records and notations.


@cache
def finished(name: str, number: int = 3) -> list[Any]:
    """The final states of some games under default rules."""
    game = make_game(name)
    return [state for state in positions(game, seed=1, games=number) if game.over(state)]


def records_of(name: str) -> list[bytes]:
    game = make_game(name)
    texts = [records.from_state(game, state, game.roles).to_json() for state in finished(name)]
    seeded = json.dumps({"game": name, "rules": dict(game.options), "actions": [], "seed": 5})
    return [text.encode() for text in (*texts, seeded)]


def all_records() -> list[bytes]:
    return [text for name in NOTATIONS for text in records_of(name)]


def replay_json(text: str) -> object:
    return records.replay(records.from_json(text))


def line_of(name: str, state: Any) -> bytes:
    game = make_game(name)
    if name == "daihinmin":
        actions = records.from_state(game, state).actions
        return ";".join([game.deal_text(state), *actions]).encode()
    return format_record(game, state).encode()


def lines_of(name: str) -> Target:
    return Target(
        as_text(lambda text: records.replay(records.parse_line(text, name))),
        lambda: [line_of(name, state) for state in finished(name)],
    )


def deals_of(name: str) -> Target:
    game = make_game(name)
    return Target(
        as_text(game.parse_deal),
        lambda: [game.deal_text(state).encode() for state in finished(name)],
    )


def actions_of(name: str, options: dict[str, Any]) -> Target:
    game = make_game(name, **options)

    @cache
    def states() -> list[Any]:
        return [state.copy() for state in positions(game, seed=2, games=1)][:-1]

    def parse(text: str) -> int:
        """The action in one of some states, or without a state."""
        for state in states()[:5]:
            with suppress(InputError):
                action = game.parse(text, state)
                assert 0 <= action < game.num_actions
                return action
        return game.parse(text)

    def samples() -> list[bytes]:
        return [
            game.text(int(action), where).encode()
            for state in states()[:5]
            for action in game.legal(state)[:20]
            for where in (None, state)
        ]

    return Target(as_text(parse), samples)


def view_from(data: bytes) -> object:
    """A view by what a player knows: a JSON object."""
    given = parse_json(data.decode(errors="surrogateescape"))
    if not isinstance(given, dict) or given.get("game") not in GAMES_OF_VIEWS:
        raise InputError("no view")
    game = make_game(given.pop("game"))
    player, hand, actions = (given.pop(key, None) for key in ("player", "hand", "actions"))
    given.pop("self", None)
    return game.view_from(player, hand, actions, **given)


GAMES_OF_VIEWS = ("doudizhu", "daihinmin", "uh_leduc", "chinese_poker")


def views() -> list[bytes]:
    boards = ("AsKs6s5s3sQhQs8c3c2hJsJd9h", "3c3d3h3s4c4d4h4s5c5d5h", "3456789TTJJQKA22S")
    given = (
        {"game": "chinese_poker", "player": 1, "hand": boards[0], "actions": ["?"]},
        {"game": "daihinmin", "player": 0, "hand": boards[1], "dealt": [11, 11, 11, 10, 10]},
        {"game": "doudizhu", "player": 1, "hand": boards[2], "actions": ["44"], "public": "4TB"},
        {"game": "uh_leduc", "player": 0, "hand": "SK", "actions": ["check", "raise"]},
    )
    return [json.dumps({"actions": [], **each}).encode() for each in given]


# Files of games: JSON lines, logs, results.


def replay_all(path: Path) -> list[records.Replay]:
    found = list(records.replay_file(path))
    for each in found:
        assert each.error is None or each.error.isprintable()
    return found


def jsonl() -> list[bytes]:
    text = b"# comment\n" + b"\n".join(all_records()[::3]) + b"\n"
    return [
        text,
        b"\xef\xbb\xbf" + text,
        text.replace(b"\n", b"\r\n"),
        gzip.compress(text, mtime=0),
    ]


def logs_read(path: Path) -> object:
    from closedhand.games.daihinmin.replaying import UECDA

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of lines that are left out
        list(UECDA.replay(path))
        return UECDA.records(path)


@cache
def log_samples() -> list[bytes]:
    from closedhand.games.daihinmin import replaying

    lines = (DATA / "uecda.log").read_text().splitlines(keepends=True)
    official = [line for line in lines if line[1:6] in ("-----", "00000", "00001")]
    game = make_game("daihinmin")
    found = [records.from_state(game, state) for state in finished("daihinmin", 1)]
    texts = ["".join(official), replaying.log_text(found)]
    return [*(text.encode() for text in texts), gzip.compress(texts[0].encode(), mtime=0)]


def config(path: Path) -> object:
    from closedhand.competitions.uecda.server import read_config

    return read_config(path)


def config_samples() -> list[bytes]:
    return [
        b"# tndhms.cfg\nWINDOW_TYPE new_normal # small\nGAME_NUMBER 7\nPORT_NUMBER 42486\n"
        b"RULE_KAKUMEI YES\nRULE_SHIBARI no\nrule_6revers YES\nFLASH_MIBUN_NUMBER 5\n",
        b"RULE_SEKIGAE YES\r\nRULE_SEKIGAE_NUM 2\r\nPLAYER1_NAME my name\r\n",
    ]


def results(path: Path) -> object:
    from closedhand.arena import results

    return results.load(path, make_game("leduc"), ["random", "random"], 0)


@cache
def result_samples() -> list[bytes]:
    from closedhand.arena import match, results

    played = match.play(make_game("leduc"), ["random", "random"], 3)
    return [json.dumps(results.summary(played)).encode()]


def league(path: Path) -> object:
    from closedhand.arena import league

    return league.load(path, make_game("daihinmin"), ["random"], 0, False)


@cache
def league_samples() -> list[bytes]:
    from closedhand.arena import league

    played = league.play(make_game("daihinmin"), ["random"], 2)
    return [json.dumps(league.summary(played)).encode()]


# Arrays and networks.


def written(write: Callable[[Path], object], name: str) -> bytes:
    """What a writer writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        return path.read_bytes()


def strategy_samples() -> list[bytes]:
    from support_strategies import uniform

    from closedhand.solvers import strategy

    made = [uniform(make_game(name)) for name in ("leduc", "uh_leduc")]
    return [written(partial(strategy.save, each), "strategy.npz") for each in made]


def play_strategy(path: Path) -> object:
    from closedhand.solvers import strategy

    loaded = strategy.load(path)
    game, agent = loaded.game, strategy.StrategyAgent(loaded, "strategy")
    view = game.view(game.deal(np.random.default_rng(1)), 0)
    try:
        return agent.act(view)
    except InputError:
        return None  # a table without this view


def checkpoint(path: Path) -> None:
    from closedhand.solvers import solving

    path.rename(path.with_name("learner.npz"))
    run = solving.Run("mccfr", make_game("leduc"), 0, path.parent).resume()
    run.advance(iterations=run.learner.iterations + 10)


def checkpoint_samples() -> list[bytes]:
    from closedhand.solvers import solving

    def write(path: Path) -> None:
        solving.Run("mccfr", make_game("leduc"), 0, path.parent).advance(iterations=20)

    return [written(write, "learner.npz")]


def tables(path: Path) -> object:
    from closedhand.agents.chinese_poker import separable

    return separable.load(path)


def table_samples() -> list[bytes]:
    from closedhand.agents.chinese_poker import separable

    return [written(lambda path: separable.save(separable.shipped(), path), "tables.npz")]


def bid_deals(path: Path) -> None:
    from closedhand.agents.doudizhu.bidding import fitting

    _, deals = fitting.read(path)
    fitting.features_all(deals.hands.ravel(), np.empty((deals.hands.size, len(fitting.FEATURES))))


def bid_samples() -> list[bytes]:
    from closedhand.agents.doudizhu.bidding import fitting

    def write(path: Path) -> None:
        game = make_game("doudizhu")
        agent = load("closedhand.core.agents:make_agent")(game, "random")
        deals = fitting.play_deals(game, agent, np.random.default_rng(0), 4)
        arrays: dict[str, Any] = {**deals._asdict(), "settings": np.array('{"seed": 0}')}
        np.savez(path, **arrays)

    return [written(write, "deals.npz")]


def network(path: Path) -> object:
    from closedhand.agents.doudizhu.deeprocket import networks

    return networks.load(path, "bid")


def network_samples() -> list[bytes]:
    from closedhand.agents.doudizhu.deeprocket import networks

    made = networks.Network("bid", status=False)
    return [written(lambda path: networks.save(path, made, {"seed": 0}), "bid.safetensors")]


def value_net(path: Path) -> object:
    from closedhand.agents.doudizhu.value_net import files

    return files.read(path)


def value_net_samples() -> list[bytes]:
    from closedhand.agents.doudizhu.value_net import files, network

    about = {"objective": "win", "steps": 1, "games": 2, "samples": 3}
    return [written(lambda path: files.save(path, network.new_net(1), about), "value-net.npz")]


@st.composite
def odd_headers(draw: st.DrawFn, samples: list[bytes]) -> bytes:
    """Networks with another header: types, shapes, places, configuration."""
    data = draw(st.sampled_from(samples))
    (size,) = struct.unpack_from("<Q", data)
    header = draw(odd_json([data[8 : 8 + size]]))
    about = json.loads(header)
    with suppress(ValueError, KeyError, TypeError, AttributeError):
        text = about["__metadata__"]["closedhand"].encode()
        about["__metadata__"]["closedhand"] = draw(odd_json([text])).decode()
        header = json.dumps(about).encode()
    return struct.pack("<Q", len(header)) + header + data[8 + size :]


def shards(path: Path) -> None:
    from closedhand.agents.doudizhu.deeprocket import pairs, recorded

    games = recorded.read(path)
    pairs.index(games, "policy")
    pairs.index(games, "kicker")


SETTINGS = {"game": "doudizhu", "options": {"rules": "deeprocket"}, "agents": ["random"], "seed": 0}


def shard_samples() -> list[bytes]:
    from closedhand.agents.doudizhu.deeprocket import shards

    played = shards.play_games(make_game("doudizhu"), ["random"], 0, range(3))
    write = partial(shards.write_shard, parts=[played], settings=SETTINGS)
    return [written(write, "games.parquet")]


def odd_shards(samples: list[bytes]) -> st.SearchStrategy[bytes]:
    """Shards in which columns have other types, or games other cards and actions."""
    import pyarrow
    import pyarrow.parquet

    def packed(columns: dict[str, Any], about: bytes) -> bytes:
        table = pyarrow.table(columns).replace_schema_metadata({b"closedhand": about})
        buffer = io.BytesIO()
        pyarrow.parquet.write_table(table, buffer)
        return buffer.getvalue()

    whole = pyarrow.parquet.read_table(io.BytesIO(samples[0]))
    rows = {name: whole[name].to_pylist() for name in whole.column_names}
    types = {name: whole.schema.field(name).type for name in whole.column_names}
    kinds = (pyarrow.list_(pyarrow.uint64(), 4), pyarrow.list_(pyarrow.uint16()),
             pyarrow.list_(pyarrow.string()), pyarrow.list_(pyarrow.int64()), pyarrow.string(),
             pyarrow.large_list(pyarrow.uint16()))  # fmt: skip

    @st.composite
    def changed(draw: st.DrawFn) -> bytes:
        columns: dict[str, Any] = {name: list(each) for name, each in rows.items()}
        name = draw(st.sampled_from(sorted(columns)))
        kind = types[name]
        match draw(st.integers(0, 5)):
            case 0:
                columns[name][0] = None
            case 1 if name != "agents":
                items = list(columns[name][0])
                place = draw(st.integers(0, len(items) - 1))
                items[place] = draw(st.sampled_from((0, 1, 12654, 65535, None)))
                columns[name][0] = items
            case 2 if name != "deal":
                columns[name][0] = columns[name][0] * 2
            case 3:
                kind = draw(st.sampled_from(kinds))
            case 4:
                del columns[name]
            case _:
                columns = {key: each[:0] for key, each in columns.items()}
        about = draw(st.one_of(st.just(json.dumps(SETTINGS).encode()),
                               odd_json([json.dumps(SETTINGS).encode()])))  # fmt: skip
        made = {}
        for key, each in columns.items():
            try:
                made[key] = pyarrow.array(each, kind if key == name else types[key])
            except (pyarrow.ArrowException, TypeError, OverflowError):
                made[key] = pyarrow.array(each)
        return packed(made, about)

    return changed()


# Texts of the command line, and the wire.


def agents(text: str) -> None:
    for piece in split_agents(text):
        spec = AgentSpec.parse(piece)
        assert AgentSpec.parse(str(spec)).name == spec.name
        for name in NOTATIONS:
            with suppress(InputError):
                traits_of(make_game(name), spec)


def agent_samples() -> list[bytes]:
    texts = (
        "random,greedy", "search[threads=1,worlds=20]:100ms", "search:500", "policy-net:folder",
        "bids:net='a,b.safetensors':greedy", "kou[lock=5]:w80", "kou[lock=5]",
        "monte-carlo:2000:w.npz", "strategy:'x:[y]',random", "equilibrium[iterations=5]",
        "counter[hands=2000]:5000", "ppo[trust=1]:model.zip", "policy-search:20ms:greedy",
        "separable:tables.npz",
    )  # fmt: skip
    return [text.encode() for text in texts]


def options(text: str) -> object:
    from closedhand.cli.common import bind

    name, *pieces = text.split("|")
    return bind(name, None, pieces)


def option_samples() -> list[bytes]:
    return [
        "|".join([name, *(f"{key}={value}" for key, value in given.items())]).encode()
        for name, given in VARIANTS + HOUSE_RULES
    ]


def tables_of_wire(data: bytes) -> None:
    from closedhand.competitions.uecda import wire

    table = data[: wire.TABLE].ljust(wire.TABLE, b"\0")
    cells = table[: wire.CELLS]
    assert (wire.read_profile(table) or "_").isprintable()
    assert 0 <= (wire.read_play(cells) or 0) < make_game("daihinmin").num_actions
    assert 0 <= (wire.held_cards(cells) or 0) < 2**53
    wire.read_status(table), wire.turn_of(table)


def wire_samples() -> list[bytes]:
    from closedhand.competitions.uecda import wire

    status = wire.Status(1, 2, 1, 4, 1, 0, 1, 1, (1, 2, 3, 4, 5), (4, 3, 2, 1, 0), (2, 0, 1, 4, 3))
    cells = [wire.hand_cells(2**53 - 1), *map(wire.play_cells, range(0, 2000, 300))]
    return [wire.profile("a name"), *(each + status.pack() for each in cells)]


class Sent:
    """A socket of a client, with all that a server sends."""

    def __init__(self, data: bytes) -> None:
        self._left = io.BytesIO(data)
        self.recv = self._left.read

    def settimeout(self, seconds: float) -> None:
        """Nobody waits here."""

    def sendall(self, data: bytes) -> None:
        """Nobody listens."""


def client(data: bytes) -> object:
    """An agent at a server that sends this."""
    from support_uecda import play_as_client

    agent = load("closedhand.core.agents:make_agent")(make_game("daihinmin"), "random")
    return play_as_client(Sent(data), agent)  # type: ignore[arg-type]


def server_samples() -> list[bytes]:
    from support_uecda import golden

    return [b"".join(data for side, data in golden() if side == "S")]


# The page: positions, saved tables, messages.


def position(text: str) -> object:
    """The view that a pasted position describes, by way of what the page asks for."""
    from closedhand.web import position_text

    found = position_text.read(text)
    game = make_game(found.game, **found.options).flat
    facts = {name: str(value) for name, value in found.facts.items()}
    public = position_text.typed(game, facts)
    return game.view_from(found.player, found.hand, found.actions, **public)


def position_samples() -> list[bytes]:
    from closedhand.web import position_text

    found = []
    for given in map(json.loads, views()):
        keys = ("game", "player", "hand", "actions")
        name, player, hand, actions = (given.pop(key) for key in keys)
        found.append(position_text.written(make_game(name), player, hand, actions, given).encode())
    return found


@cache
def seated(name: str) -> Any:
    """A table of persons in the middle of a hand."""
    from closedhand.web.table import Seat, Table

    game, rng = make_game(name), np.random.default_rng(1)
    seats = [
        Seat(name=f"p{seat}", token=f"token{seat}", player=seat) for seat in range(game.num_players)
    ]
    table = Table("table", game, seats, game.deal(rng), watch="watch")
    for _ in range(4):
        if not table.over:
            table.play(game.sample(rng, table.state))
    return table


def saved_table(text: str) -> object:
    from closedhand.web.table import restored

    return restored("table", parse_json(text))


def saved_table_samples() -> list[bytes]:
    return [json.dumps(seated(name).saved()).encode() for name in NOTATIONS]


def messages(text: str) -> None:
    """What a browser asks a server at which there is a table, a line a message."""
    from closedhand.web import requests, server
    from closedhand.web.guard import RateLimitedLog
    from closedhand.web.lobby import Lobby
    from closedhand.web.table import restored

    requests.register()

    class Raising(RateLimitedLog):
        def failed(self, what: str) -> None:
            raise

    async def ask(folder: str) -> list[dict[str, Any]]:
        lobby = Lobby(Path(folder))
        lobby.log = Raising()
        lobby.tables["table"] = restored("table", seated("uh_leduc").saved())
        connection = server.Connection(lobby, owner=True)
        try:
            for line in text.split("\n"):
                await connection.answer(line)
            return [json.loads(connection.outbox.get_nowait() or "{}")
                    for _ in range(connection.outbox.qsize())]  # fmt: skip
        finally:
            connection.leave()
            lobby.close()

    with tempfile.TemporaryDirectory() as folder:
        answers = asyncio.run(ask(folder))
    for told in answers:
        if "error" in told:
            raise InputError(told["error"])


def message_samples() -> list[bytes]:
    """Messages after which nothing is computed in the background."""
    join = {"do": "join", "table": "table", "token": "token0"}
    studied = records_of("uh_leduc")[0]
    small = {"do": "small", "game": "leduc", "options": {}}
    sequences: tuple[tuple[dict[str, Any], ...], ...] = (
        (join, {"do": "pace", "seconds": 1.5}, {"do": "step"}, {"do": "leave"}),
        ({"do": "games"}, {"do": "tables"}, {"do": "agents", "game": "leduc"}),
        ({"do": "drop", "table": "table"}, {"do": "servers"}, {"do": "runs"}, {"do": "samples"}),
        ({"do": "study", "data": base64.b64encode(studied).decode()},
         {"do": "replay", "record": studied.decode()},
         {"do": "ply", "ply": 2, "seat": 1}, {"do": "text", "ply": 0},
         {"do": "picture", "ply": 1, "seat": 0}),
        ({"do": "position", "text": "make_game('leduc').view_from(0, 'SK', ['check'])"},),
        (small, {"do": "public", "state": 0}, {"do": "strategy", "by": "random", "respond": 1}),
        ({"do": "open", "game": "leduc", "options": {}, "seats": [{"name": "p"}] * 2, "seed": 3,
          "deal": "SK;HQ;HJ", "pace": 0, "open": False}, {"do": "stop", "work": "hint"}),
    )  # fmt: skip
    return ["\n".join(map(json.dumps, sequence)).encode() for sequence in sequences]


NOTATIONS = ("doudizhu", "daihinmin", "uh_leduc", "chinese_poker")

TARGETS: dict[str, Target] = {
    "json": Target(as_text(parse_json), all_records, odd_json),
    "record": Target(as_text(replay_json), all_records, odd_json),
    **{f"line-{name}": lines_of(name) for name in NOTATIONS},
    **{f"deal-{name}": deals_of(name) for name in NOTATIONS},
    **{f"actions-{name}": actions_of(name, {}) for name in NOTATIONS},
    "actions-substeps": actions_of("chinese_poker", {"substeps": True}),
    "views": Target(view_from, views, odd_json),
    "jsonl": Target(in_file(".jsonl", replay_all), jsonl),
    "log": Target(in_file(".log", logs_read), log_samples),
    "config": Target(in_file(".cfg", config), config_samples),
    "results": Target(in_file(".json", results), result_samples, odd_json),
    "league": Target(in_file(".json", league), league_samples, odd_json),
    "strategy": Target(in_file(".npz", play_strategy), strategy_samples, odd_arrays),
    "checkpoint": Target(in_file(".npz", checkpoint), checkpoint_samples, odd_arrays),
    "tables": Target(in_file(".npz", tables), table_samples, odd_arrays),
    "bid-deals": Target(in_file(".npz", bid_deals), bid_samples, odd_arrays),
    "network": Target(in_file(".safetensors", network), network_samples, odd_headers),
    "value-net": Target(in_file(".npz", value_net), value_net_samples, odd_arrays),
    "shard": Target(in_file(".parquet", shards), shard_samples, odd_shards),
    "agents": Target(as_text(agents), agent_samples),
    "options": Target(as_text(options), option_samples),
    "wire": Target(tables_of_wire, wire_samples),
    "client": Target(client, server_samples),
    "position": Target(as_text(position), position_samples),
    "saved-table": Target(as_text(saved_table), saved_table_samples, odd_json),
    "messages": Target(as_text(messages), message_samples, odd_lines),
}
"""Every parser by name."""
