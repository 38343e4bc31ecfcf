// Several persons on one device: it is handed on, and no hand is shown before the next person takes it.

import { fill, type Translate } from "./strings";
import type { Table } from "./types";

const key = (table: string) => `hotseat ${table}`;

export const isHotseat = (table: string) => localStorage.getItem(key(table)) === "yes";
export const setHotseat = (table: string, on: boolean) => (on ? localStorage.setItem(key(table), "yes") : localStorage.removeItem(key(table)));

// The hand that was taken last since the page was loaded: no other one is shown.
let taken = "";
const handOf = ({ table, deal, turn }: Table, seat: number) => `${table} ${deal} ${turn} ${seat}`;

// The person who must take this device before anything is shown; -1 if the table may be shown.
export function nextSeat(table: Table): number {
  const { position, seats, seat, links } = table;
  if (!isHotseat(table.table) || position.over) return -1;
  const to = seats[position.player]?.person ? position.player : seat; // an agent acts: the hand that would be shown
  return to >= 0 && links?.tokens[to] && (to !== seat || taken !== handOf(table, to)) ? to : -1;
}

// `show` draws the page anew: the address may stay the same.
export function Handover({ table, to, show, t }: { table: Table; to: number; show: () => void; t: Translate }) {
  const take = () => { taken = handOf(table, to); show(); };
  const name = table.seats[to].name || `${t("seat")} ${to + 1}`;
  return (
    <main class="page handover">
      <h1>{t("Hand the device on")}</h1>
      <a class="button primary big" id="take" href={`#/t/${table.table}/${table.links!.tokens[to]}`} onClick={take}>{table.position.player === to ? fill(t("It is the turn of {}"), name) : name}</a>
      <p><a class="button" href="#/">{t("Back to the games")}</a></p>
    </main>
  );
}
