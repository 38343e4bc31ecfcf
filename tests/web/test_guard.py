"""Hosts, origins, secrets and limits that the server checks."""

import logging

import pytest

from closedhand import InputError, make_game
from closedhand.web.catalogue import check_agent, offered
from closedhand.web.guard import Bucket, Guard, RateLimitedLog, is_local, is_origin, is_secret


@pytest.mark.parametrize(
    ("host", "origin", "admitted"),
    [
        ("127.0.0.1:8025", None, True),
        ("localhost:8025", "http://localhost:8025", True),
        ("[::1]:8025", "http://[::1]:8025", True),
        ("127.0.0.1:8025", "http://evil.example", False),
        ("127.0.0.1:8025", "http://127.0.0.1:9999", False),
        ("127.0.0.1:8025", "null", False),
        ("127.0.0.1:8025", "http://[", False),
        ("127.0.0.1:8025", "ftp://127.0.0.1:8025", False),
        ("evil.example", None, False),
        ("evil.example:8025", "http://evil.example:8025", False),
        ("192.168.1.5:8025", None, False),
        ("", None, False),
        ("[::1", None, False),
    ],
)
def test_a_local_server_answers_to_local_names(host, origin, admitted) -> None:
    headers = {"host": host} | ({} if origin is None else {"origin": origin})
    assert Guard("127.0.0.1").admits(headers) is admitted


@pytest.mark.parametrize(
    ("origin", "admitted"),
    [("http://127.0.0.1:8025", True), ("http://evil.example", False), ("null", False),
     ("", False), (None, False)],
)  # fmt: skip
def test_a_socket_needs_an_origin(origin: str | None, admitted: bool) -> None:
    headers = {"host": "127.0.0.1:8025"} | ({} if origin is None else {"origin": origin})
    for guard in (Guard("127.0.0.1"), Guard("0.0.0.0", ["https://cards.example.org"])):
        assert guard.admits(headers, is_socket=True) is admitted


def test_a_public_server_answers_to_addresses_and_its_proxy() -> None:
    guard = Guard("0.0.0.0", ["https://cards.example.org"])
    assert guard.admits({"host": "192.168.1.5:8025", "origin": "http://192.168.1.5:8025"})
    assert guard.admits({"host": "cards.example.org", "origin": "https://cards.example.org"})
    assert not guard.admits({"host": "evil.example", "origin": "http://evil.example"})
    assert not guard.admits({"host": "192.168.1.5:8025", "origin": "https://evil.example"})


def test_the_form_of_an_origin() -> None:
    assert all(map(is_origin, ("https://cards.example.org", "http://[::1]:80/", "http://a:8025")))
    others = ("", "null", "cards.example.org", "http://", "http://[", "ftp://a", "https://a/b")
    assert not any(map(is_origin, others))


def test_local_addresses() -> None:
    assert all(map(is_local, ("127.0.0.1", "::1", "localhost", "127.1.2.3")))
    assert not any(map(is_local, ("0.0.0.0", "::", "192.168.1.5", "example.org", "")))


def test_a_secret_is_compared_with_any_text() -> None:
    assert is_secret("é", "é")
    assert not any(is_secret("?", each) for each in ("", "x", "é", "\ud800", "\0"))


def test_many_refusals_and_failures_are_an_entry_each(caplog: pytest.LogCaptureFixture) -> None:
    log = RateLimitedLog()
    with caplog.at_level(logging.WARNING, "closedhand.web"):
        for _ in range(5):
            log.refused("a message", "somebody")
            try:
                raise KeyError
            except KeyError:
                log.failed("a request")
    assert [(each.levelname, bool(each.exc_info)) for each in caplog.records] == [
        ("WARNING", False), ("ERROR", True),
    ]  # fmt: skip


def test_a_bucket_runs_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("closedhand.web.guard.RATE", 0.0)
    monkeypatch.setattr("closedhand.web.guard.BURST", 3.0)
    bucket = Bucket()
    assert [bucket.take() for _ in range(5)] == [True, True, True, False, False]


@pytest.mark.parametrize(
    "text",
    [
        "learned:runs/demo",
        "policy-net:/etc/passwd",
        "decompose:/etc/passwd",
        "decompose:100ms",
        "search:100ms:/etc/passwd",
        "search[threads=64]:100ms",
        "policy-net[tuned=2]",
        "search:99999ms",
        "search:0ms",
        "search:999999",
        "bids:net=/etc/passwd:greedy",
        "nobody",
        "",
    ],
)
def test_a_browser_names_no_file_and_no_endless_search(text: str) -> None:
    with pytest.raises(InputError):
        check_agent(make_game("doudizhu"), text)


@pytest.mark.slow
def test_offered_agents_may_be_seated() -> None:
    game = make_game("doudizhu")
    wanted = {"random", "greedy", "decompose", "search:100ms", "policy-net[tuned=1]"}
    assert wanted <= set(offered(game))
    assert not {"learned", "bids"} & set(offered(game))
    for text in offered(game):
        assert check_agent(game, text) == text
    assert check_agent(game, "learned:mine", added=("learned:mine",)) == "learned:mine"
