"""The pool that all share, and its cache."""

import os
from functools import partial
from pathlib import Path

import pytest
from support_pools import GAME, GAMES, SMALL

from closedhand import InputError, make_game
from closedhand.agents.chinese_poker import pool as pools, separable, training
from closedhand.core.files import cache_folder

EVEN = training.even()

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture(autouse=True)
def forget_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_POOLS", {})


def test_a_pool_is_set_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pool_of = partial(pools.pool_of, GAME.rules, separable.shipped(), SMALL)
    first, told = pool_of(), []
    assert "setting a pool of 5,000 hands, once" in capsys.readouterr().err
    assert pool_of() is first
    (path,) = (tmp_path / "cache" / "closedhand").iterdir()
    pools._POOLS.clear()  # as in a new process
    with monkeypatch.context() as patched:
        patched.setattr(separable, "arrange", lambda *_: 1 / 0)
        read = pool_of()
    assert read is not first
    assert (read.parts == first.parts).all() and (read.holds == first.holds).all()
    path.unlink()
    pools._POOLS.clear()
    assert (pool_of(told.append).parts == first.parts).all()
    assert told[-1] == SMALL
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
def test_pools_of_other_rules_tables_and_sizes_are_others() -> None:
    tables, even = separable.shipped(), separable.Tables(EVEN)
    found = [
        pools.pool_of(GAME.rules, tables, SMALL),
        pools.pool_of(GAMES["1-6"].rules, tables, SMALL),
        pools.pool_of(GAME.rules, even, SMALL),
        pools.pool_of(GAME.rules, tables, SMALL + 1),
    ]
    assert len(list(cache_folder().iterdir())) == 4
    assert not any((found[0].parts == other.parts).all() for other in found[1:3])
    assert (found[0].holds == found[2].holds).all()
    # What is paid for hands changes no pool.
    paying = make_game("chinese_poker", royalties=True, players=4, naturals=True)
    assert pools.pool_of(paying.rules, tables, SMALL) is found[0]
    for size in (-1, 0, 4_999, 50_000_001, 99_999_999_999):
        with pytest.raises(InputError, match=f"5,000 to 50,000,000 hands, not {size:,}"):
            pools.pool_of(GAME.rules, tables, size)


@pytest.mark.parametrize(
    "damage", ["long", "short", "empty", "bit", "folder", "no cache", "no home"]
)
def test_a_damaged_pool_is_set_anew(
    damage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = pools.pool_of(GAME.rules, separable.shipped(), SMALL)
    (path,) = cache_folder().iterdir()
    whole = path.read_bytes()
    flipped = whole[:100] + bytes([whole[100] ^ 1]) + whole[101:]
    damaged = {"long": whole + b"123456", "short": whole[:-1], "empty": b"", "bit": flipped}
    path.write_bytes(damaged.get(damage, whole))
    if damage == "folder":
        path.unlink()
        path.mkdir()
    elif damage == "no cache":
        monkeypatch.setenv("XDG_CACHE_HOME", str(path))
    elif damage == "no home":
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    pools._POOLS.clear()
    capsys.readouterr()
    again = pools.pool_of(GAME.rules, separable.shipped(), SMALL)
    assert (again.parts == first.parts).all()
    assert path.is_dir() or path.read_bytes() == whole
    out, err = capsys.readouterr()
    assert out == ""
    assert ("set again next time" in err) == (damage not in damaged)
