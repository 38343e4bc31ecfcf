// The end of a hand: what everybody made of it, and the score so far.

import { occupant } from "./felt";
import { hasPlaces, place, signed, toneClass } from "./outcome";
import { counted } from "./score";
import type { Translate } from "./strings";
import type { Table } from "./types";

export function Result({ table, t }: { table: Table; t: Translate }) {
  const { position, seats, seat, sides, hands } = table;
  const returns = position.returns!;
  const total = (player: number) => hands.reduce((sum, hand) => sum + hand.returns[hand.players.indexOf(player)], 0);
  const order = [...seats.keys()].sort((a, b) => returns[b] - returns[a]);
  return (
    <ol class="result" aria-label={t("Score")}>{order.map((each) => (
      <li key={each} class={each === seat ? "own-result" : ""}>
        {hasPlaces(returns, sides) ? <small>{place(returns, sides, each)}.</small> : null} <span>{occupant(seats[each], each, seat, t)}</span>
        <b class={toneClass(returns, each)}>{signed(returns[each])}</b>
        {hands.length > 1 ? <small>{t("Total")} ({counted(hands.length, t)}) {signed(total(seats[each].player))}</small> : null}
      </li>
    ))}</ol>
  );
}
