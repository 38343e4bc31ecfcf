"""The grammar of agents: their texts and lists of them."""

from typing import Any

import pytest

from closedhand import InputError
from closedhand.core.agent_spec import AgentSpec, split_agents


@pytest.mark.parametrize(
    ("text", "name", "options", "argument"),
    [
        ("rule", "rule", {}, None),
        ("kou:w90", "kou", {}, "w90"),
        ("kou:", "kou", {}, None),
        ("kou[]", "kou", {}, None),
        ("kou[threshold=93,lock=1]", "kou", {"threshold": "93", "lock": "1"}, None),
        ("search[threads=1]:100ms", "search", {"threads": "1"}, "100ms"),
        ("a[b=true, c = 0.5,d=x y]", "a", {"b": "true", "c": "0.5", "d": "x y"}, None),
        ("a[b='1',c=\"p,q]=\"]:z", "a", {"b": "1", "c": "p,q]="}, "z"),
        ("a[b=null,c=[1]]", "a", {"b": "null", "c": "[1]"}, None),
        ("a[b=kou[lock=1,threshold=2]]", "a", {"b": "kou[lock=1,threshold=2]"}, None),
        ('strategy:"runs/a,b:[c.npz"', "strategy", {}, "runs/a,b:[c.npz"),
        ("strategy:'say \"x\".npz'", "strategy", {}, 'say "x".npz'),
        ('a[b=it\'s "x"]', "a", {"b": 'it\'s "x"'}, None),
        # Everything after the first colon is the argument.
        ("strategy:runs/a[1,2]/it's.npz", "strategy", {}, "runs/a[1,2]/it's.npz"),
        ("kou:w80,lock+", "kou", {}, "w80,lock+"),
        ("bids:net=a[1]:search:50ms", "bids", {}, "net=a[1]:search:50ms"),
        ("monte-carlo:500:C:/w.npz", "monte-carlo", {}, "500:C:/w.npz"),
    ],
)
def test_agents_are_read(
    text: str, name: str, options: dict[str, Any], argument: str | None
) -> None:
    spec = AgentSpec.parse(text)
    assert (spec.name, spec.options, spec.argument) == (name, options, argument)
    assert AgentSpec.parse(str(spec)) == spec
    assert split_agents(f"{spec},{spec}") == [str(spec)] * 2
    assert hash(spec) == hash(AgentSpec.parse(text))


@pytest.mark.parametrize("value", ['it\'s,"x"', "'\"", "a='b\"", 'it\'s "x"]', " 'x\" ", "[\"'"])
def test_texts_that_need_quotes_and_hold_both_kinds_are_refused(value: str) -> None:
    for spec in (AgentSpec("a", {"b": value}), AgentSpec("a", {"b": "c"}, f"{value},")):
        with pytest.raises(InputError, match="it needs quotes, and has both kinds of them"):
            str(spec)


PLAIN_LISTS = (
    "greedy,rule",
    "rule,rule,rule",
    "random",
    "",
    "kou,kou:w90,kou:lock-,kou:use_2,default",
    "monte-carlo:500,monte-carlo:20ms,monte-carlo:500:w.npz,monte-carlo",
    "search:2000,search:50ms:runs/a b/w.npz,policy-search:100ms:runs/net",
    "bids:fitted:decompose,bids:net=runs/bid.safetensors:policy-net:runs/net",
    "strategy:runs/solve/it's.npz,strategy:runs/[1/x.npz,strategy:runs/a[1].npz,equilibrium",
    "learned:./runs/demo/model.safetensors,rule",
    "separable:runs/t.npz,counter:100000,rescored:t.npz",
    "net,net,default,kou,net",
    'bids:logic:say "x",rule',
)


@pytest.mark.parametrize("text", PLAIN_LISTS)
def test_lists_of_agents_keep_their_meaning(text: str) -> None:
    assert split_agents(text) == text.split(",")
    for each in text.split(","):
        name, _, argument = each.partition(":")
        assert AgentSpec.parse(each) == AgentSpec(name, {}, argument or None)


def test_commas_in_brackets_and_quotes_do_not_separate() -> None:
    pieces = [
        "kou[threshold=93,lock=1]",
        "bids:logic:search[threads=1,worlds=20]:4000",
        'strategy:"a,b.npz"',
        "a[path='x]y,z']:100ms",
        'bids:net="a,b:c":greedy',
    ]
    assert split_agents(",".join(pieces)) == pieces
    assert split_agents(", ".join(pieces)) == pieces
