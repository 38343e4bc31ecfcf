"""Requests of the page, by subject: tables, hints, study of records and positions, small games."""

from collections.abc import Callable, Coroutine, Mapping
from importlib import import_module
from inspect import signature
from typing import Any, NamedTuple

from closedhand.core.parsing import NATURAL, NUMBER, OPTIONS, TEXT, TRUTH, Kind, list_of

Answer = Callable[..., Coroutine[Any, Any, Any]]
Fields = dict[str, Any]
"""Type of a field of a message that is a JSON object."""

KINDS: dict[Any, Kind] = {
    str: TEXT, str | None: TEXT, int: NATURAL, int | None: NATURAL, float: NUMBER, bool: TRUTH,
    Fields: OPTIONS, Fields | None: OPTIONS,
    list[str]: list_of(TEXT), list[Fields]: list_of(OPTIONS),
}  # fmt: skip
"""Kinds of the fields of a message, by the annotations of the arguments of a request."""


class Request(NamedTuple):
    """A request that a browser may send.

    An independent request uses neither the table nor the study nor a computation of the connection,
    so that it waits only for requests of the same name.
    """

    answer: Answer  # function of the connection and the fields of a message; returns JSON data
    needed: Mapping[str, Kind]  # fields that a message must have
    others: Mapping[str, Kind]  # fields that it may have
    for_owner: bool  # whether guests may not send it
    independent: bool


REQUESTS: dict[str, Request] = {}
"""The requests by name, filled by `request` when the modules of `requests` are imported."""


def request(
    name: str, for_owner: bool = True, independent: bool = False
) -> Callable[[Answer], Answer]:
    """Register the decorated function as the answer to messages whose `do` is `name`.

    The function takes the connection, then fields of the message; `KINDS` has their kinds by
    annotation. A field may be absent if its argument has a default. `Request` explains `for_owner`
    and `independent`.
    """

    def decorate(answer: Answer) -> Answer:
        _, *fields = signature(answer).parameters.values()
        others = {each.name: KINDS[each.annotation] for each in fields}
        needed = {each.name: others.pop(each.name) for each in fields if each.default is each.empty}
        REQUESTS[name] = Request(answer, needed, others, for_owner, independent)
        return answer

    return decorate


def register() -> None:
    """Import the modules of `requests`, which register their functions."""
    for subject in ("table", "hints", "study", "solver"):
        import_module(f"{__name__}.{subject}")
