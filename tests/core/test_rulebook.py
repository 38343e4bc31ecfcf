"""Rules in words: of every game, in every language, with plays that are plays."""

import dataclasses
import json
import re
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from closedhand import InputError, make_game
from closedhand.cli import app
from closedhand.core import registry
from closedhand.core.explanations import kind_of, reason_against, why_not
from closedhand.core.registry import GAMES, spec_of
from closedhand.core.rulebook import Section, as_markdown, from_markdown, rules_in_words, terms_of

LANGUAGES = ("en", "zh", "ja")


@pytest.mark.parametrize("name", list(GAMES))
def test_every_game_has_rules_in_every_language(name: str) -> None:
    """With the same examples of plays."""
    shown = [
        [cards for section in rules_in_words(name, language) for _, cards in section.plays]
        for language in LANGUAGES
    ]
    assert shown[0] and shown[0] == shown[1] == shown[2]
    assert len({as_markdown(rules_in_words(name, language)) for language in LANGUAGES}) == 3
    assert rules_in_words(name, "xx") == rules_in_words(name)


@pytest.mark.parametrize("name", ["doudizhu", "daihinmin"])
def test_the_examples_of_plays_are_plays(name: str) -> None:
    game = make_game(name).flat
    state = game.deal(np.random.default_rng(0))
    plays = {tuple(sorted(game.cards(action, state))) for action in range(game.num_actions)}
    for section in rules_in_words(name):
        for label, cards in section.plays:
            if label != "ranks":
                assert tuple(sorted(cards.split())) in plays, label


def translated(text: str, terms: dict[str, str]) -> str:
    """Translate a text as the page does: by its term, or by a term with gaps."""
    if text in terms:
        return terms[text]
    for key in sorted((key for key in terms if "{}" in key), key=len, reverse=True):
        form = "(.+?)".join(map(re.escape, key.split("{}")))
        if found := re.fullmatch(form, text):
            return terms[key].format(*(translated(part, terms) for part in found.groups()))
    return text


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("doudizhu", {}),
        ("doudizhu", {"bidding": True, "doubling": True}),
        ("daihinmin", {"classes": "random", "lead_pass": False}),
        ("daihinmin", {"kaidan": False, "seven_give": True}),
    ],
    ids=str,
)
def test_reasons_are_said_in_every_language(name: str, options: dict[str, Any]) -> None:
    """Those of random illegal actions in random games: no English word is left."""
    game, rng = make_game(name, **options), np.random.default_rng(0)
    terms = terms_of(name)
    reasons = set[str]()
    for _ in range(3):
        state = game.deal(rng)
        while not game.over(state):
            for action in rng.integers(game.num_actions, size=8).tolist():
                reasons.add(why_not(game, state, action))
            game.play(state, game.sample(rng, state))
    reasons = {each for each in reasons if each and "is not legal now" not in each}
    assert len(reasons) > 10
    for language in LANGUAGES[1:]:
        for reason in reasons:
            words = re.findall(r"[a-z]{3,}", translated(reason, terms[language]))
            assert not words, (reason, translated(reason, terms[language]))


def test_a_choice_of_cards_is_explained() -> None:
    """Also one with a joker, whose notation differs from its cards."""
    game = make_game("daihinmin")
    view = game.view_from(0, "3c3d5h7h8d9sTcJdQhKs*", [], dealt=(11, 11, 11, 10, 10))
    assert reason_against(game, view, ["5h", "7h", "*"]) == ""
    assert reason_against(game, view, ["3c", "8d"]) == "these cards form no play"
    assert "not in your hand" in reason_against(game, view, ["9c", "9d"])


@pytest.mark.parametrize("name", list(GAMES))
def test_options_are_explained_in_every_language(name: str) -> None:
    spec, game = spec_of(name), make_game(name)
    options = {option.name for option in spec.option_table}
    options -= {*game.substep_options, *spec.options}
    for language in LANGUAGES[1:]:
        terms = terms_of(name)[language]
        assert options <= {key.removeprefix("option ") for key in terms if "option " in key}


@pytest.mark.parametrize("name", ["doudizhu", "daihinmin"])
def test_plays_are_named_in_every_language(name: str) -> None:
    """With the terms of the game; the pass and other words name themselves."""
    for options in ({}, {"actions": "card_sets"}) if name == "daihinmin" else ({},):
        game, terms = make_game(name, **options), terms_of(name)
        kinds = {kind_of(game, action) for action in range(game.num_actions)}
        assert {"", "single", "pair"} < kinds
        for language in LANGUAGES[1:]:
            assert kinds - {""} <= set(terms[language])
    assert kind_of(make_game("leduc"), 0) == ""


def test_the_command_shows_them() -> None:
    run = CliRunner().invoke
    shown = run(app, ["show", "rules", "doudizhu"])
    assert shown.exit_code == 0 and "rocket" in shown.stdout
    data = json.loads(run(app, ["show", "rules", "leduc", "--language", "ja", "--json"]).stdout)
    assert "ポーカー" in data["sections"][0]["text"][0]


def test_a_game_without_rules_in_words_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("closedhand.core.rulebook.spec_of", lambda name: spec_of("leduc").__class__(
        name="x", title="X", make="x:x", contract=1, aec_id="x/x-v0", gymnasium_id="x/X-v0"
    ))  # fmt: skip
    with pytest.raises(InputError, match="no rules in words"):
        rules_in_words("x")


def test_blank_lines_do_not_matter() -> None:
    """A text may follow its title at once, and more than one line may be empty."""
    plays = (("pair", "9 9"), ("single", "9"))
    book = (Section("Plays", ("Of equal ranks.", "Or one."), plays), Section("End", ()))
    tight = "## Plays\nOf equal\nranks.\n\nOr one.\n\n- pair: 9 9\n- single: 9\n\n## End"
    wide = tight.replace("\n\n", "\n \n\n").replace("## Plays\n", "## Plays\n\n\n")
    assert from_markdown(tight) == from_markdown(wide) == book


def test_rules_without_sections_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = dataclasses.replace(spec_of("leduc"), rulebook={"en": "# Leduc\n\nTwo players.\n"})
    monkeypatch.setitem(registry._specs, "leduc", spec)
    with pytest.raises(InputError, match="the rulebook of leduc has no sections: begin each with"):
        rules_in_words("leduc")
