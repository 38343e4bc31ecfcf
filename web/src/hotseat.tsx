// Several persons on one device: it is handed on, and no hand is shown before the next person takes it.

import { fill, type Translate } from "./strings";
import type { Table } from "./types";

const key = (table: string) => `hotseat ${table}`;

export const isHotseat = (table: string) => localStorage.getItem(key(table)) === "yes";
export const setHotseat = (table: string, on: boolean) => (on ? localStorage.setItem(key(table), "yes") : localStorage.removeItem(key(table)));

// The other person whose turn it is on this device; -1 if there is none.
export function nextSeat({ table, position, seats, seat, links }: Table): number {
  const at = position.player;
  return isHotseat(table) && !position.over && at >= 0 && at !== seat && seats[at].person && links?.tokens[at] ? at : -1;
}

export function Handover({ table, to, t }: { table: Table; to: number; t: Translate }) {
  const name = table.seats[to].name || `${t("seat")} ${to + 1}`;
  return (
    <main class="page handover">
      <h1>{t("Hand the device on")}</h1>
      <a class="button primary big" id="take" href={`#/t/${table.table}/${table.links!.tokens[to]}`}>{fill(t("It is the turn of {}"), name)}</a>
      <p><a class="button" href="#/">{t("Back to the games")}</a></p>
    </main>
  );
}
