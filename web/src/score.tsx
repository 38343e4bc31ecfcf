// The score of a table: by hand, in total, and against others on the same cards.

import { useState } from "preact/hooks";
import { useShared } from "./context";
import { signed } from "./outcome";
import { Scroll } from "./scroll";
import { fill, type Translate } from "./strings";
import type { Hand, Table } from "./types";

const MOST_HANDS = 200; // that a table keeps, as in closedhand/web/table.py

// The hands of a total: all of the table, or the last ones.
export const counted = (hands: number, t: Translate) => (hands < MOST_HANDS ? `${hands} ${t("hands")}` : fill(t("last {} hands"), String(hands)));

// A player by name; those of one name are told apart by the seats at which they began.
function names(table: Table, t: Translate): string[] {
  const found: string[] = [];
  table.seats.forEach((holder, seat) => {
    found[holder.player] = seat === table.seat ? t("You") : holder.agent || holder.name;
  });
  return found.map((name, player) => {
    const isAlone = found.filter((other) => other === name).length === 1;
    return name && isAlone ? name : `${name || t("person")} ${player + 1}`;
  });
}

// On deals that were played at several seats: the points of a player, less those of others at that seat.
export function difference(hands: Hand[], player: number): number[] {
  const found: number[] = [];
  for (const hand of hands) {
    const seat = hand.players.indexOf(player);
    const others = hands.filter((each) => each.deal === hand.deal && each.players[seat] !== player).map((each) => each.returns[seat]);
    if (others.length) found.push(hand.returns[seat] - others.reduce((a, b) => a + b, 0) / others.length);
  }
  return found;
}

function OwnName({ table, t }: { table: Table; t: Translate }) {
  const { net } = useShared();
  const [name, setName] = useState(table.seats[table.seat].name);
  return (
    <form class="row own-name" onSubmit={(e) => { e.preventDefault(); localStorage.setItem("name", name); void net.ask("name", { name }).catch(() => {}); }}>
      <label>{t("Your name")} <input value={name} maxLength={40} onInput={(e) => setName(e.currentTarget.value)} /></label>
      <button type="submit">{t("Set")}</button>
    </form>
  );
}

export function Score({ table, t }: { table: Table; t: Translate }) {
  const hands = table.hands;
  const known = names(table, t);
  const total = (player: number) => hands.reduce((sum, hand) => sum + hand.returns[hand.players.indexOf(player)], 0);
  return (
    <div>
      <h2>{t("Score")}</h2>
      <Scroll label={t("Score")}><table>
        <thead><tr><th>#</th>{table.seats.map((_, i) => <th key={i}>{t("seat")} {i + 1}</th>)}</tr></thead>
        <tbody>{hands.map((hand, i) => (
          <tr key={i}><th>{hand.deal + 1}{hand.turn ? `·${hand.turn + 1}` : ""}</th>{hand.returns.map((value, k) => <td key={k}><small>{known[hand.players[k]]}</small> {signed(value)}</td>)}</tr>
        ))}</tbody>
      </table></Scroll>
      <h3>{t("Total")} ({counted(hands.length, t)})</h3>
      <ul class="totals">{known.map((name, player) => <li key={player} data-player={player}>{name} <b>{signed(total(player))}</b></li>)}</ul>
      {table.seats.filter((holder) => holder.person).map(({ player }) => {
        const gaps = difference(hands, player);
        return gaps.length ? <p key={player} class="difference">{known[player]}, {t("against others on the same cards")}: <b>{signed(gaps.reduce((a, b) => a + b, 0) / gaps.length)}</b> ({gaps.length})</p> : null;
      })}
      {table.seat >= 0 && !table.remote ? <OwnName table={table} t={t} /> : null}
    </div>
  );
}
