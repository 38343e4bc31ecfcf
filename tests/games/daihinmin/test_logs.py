"""Logs as the official server writes them."""

import re

import pytest
from support import DATA
from support_uecda import GAME, check_log

from closedhand.core.game import InputError
from closedhand.games.daihinmin import logs
from closedhand.games.daihinmin.exchange import loser, pair_in_exchange, winner
from closedhand.games.daihinmin.legality import can_play


@pytest.mark.slow
def test_a_log_is_written_as_the_official_server_does() -> None:
    illegal = 0
    for values in check_log(DATA / "uecda.log", 25).rounds:
        record = logs.round_record(values)
        state = GAME.parse_deal(record.deal or "")
        transcript = logs.Transcript(state)
        for action in map(GAME.parse, record.actions):
            pair = pair_in_exchange(state)
            if pair == 2:
                transcript.submit(int(state.player), action)
                illegal += not can_play(GAME.rules, state, action)
            GAME.play(state, action)
            if pair != pair_in_exchange(state):
                players = winner(state, pair), loser(state, pair)
                transcript.give(*players, int(state.returned[pair]))
        points = [int(each) for each in values["points"].split()]
        # A lone joker may lie anywhere.
        values = {**values, "play": re.sub("(?<= [0-4])[KLMN].(?=EE)", "Kx", values["play"])}
        assert transcript.values(state.places.tolist(), points) == values
    assert illegal == 1


@pytest.mark.parametrize(("text", "wrong"), [("D4XDC2", "XD"), ("D4DC2", "DC"), ("S3S", "S")])
def test_the_first_card_that_cannot_be_read_is_named(text: str, wrong: str) -> None:
    for parse in (logs.cards_of, logs.given_cards):
        with pytest.raises(InputError, match=f"^'{wrong}' is not a card of a log$"):
            parse(text)
