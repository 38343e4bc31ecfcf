// Panels beside the table: legal plays, moves, and the links of the seats.

import { useEffect, useRef, useState } from "preact/hooks";
import { occupant } from "./felt";
import type { Translate } from "./strings";
import type { Action, Table } from "./types";

const MOST_LISTED = 400;
const LOCAL = /^(localhost|127\.|\[?::1)/;

export function List({ legal, t, play }: { legal: Action[]; t: Translate; play: (action: Action) => void }) {
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toUpperCase();
  const shown = legal.filter((action) => action.text.toUpperCase().includes(wanted));
  const here = useRef<HTMLDivElement>(null);
  useEffect(() => { here.current?.querySelector<HTMLElement>("input, .legal button")?.focus(); }, []);
  return (
    <div ref={here}>
      <h2>{t("all legal plays")} ({legal.length})</h2>
      {legal.length > 20 ? <input type="search" placeholder={t("filter")} aria-label={t("filter")} value={filter}
        onKeyDown={(e) => { if (e.key === "Enter" && shown.length) play(shown[0]); }} onInput={(e) => setFilter(e.currentTarget.value)} /> : null}
      <ul class="legal">{shown.slice(0, MOST_LISTED).map((action) => <li key={action.id}><button type="button" onClick={() => play(action)}>{t(action.text)}</button></li>)}</ul>
    </div>
  );
}

export function Moves({ table, t }: { table: Table; t: Translate }) {
  return (
    <div>
      <h2>{t("Moves")}</h2>
      <ol class="moves">{table.position.moves.map((move, i) => (
        <li key={i}><span>{occupant(table.seats[move.player], move.player, table.seat, t)}</span> <b>{move.text === null ? t("hidden") : t(move.text)}</b></li>
      ))}</ol>
    </div>
  );
}

export function Links({ table, links, t }: { table: Table; links: { tokens: string[]; watch: string }; t: Translate }) {
  const [copied, setCopied] = useState("");
  const at = (token: string) => `${location.origin}${location.pathname}#/t/${table.table}/${token}`;
  const row = (name: string, token: string) => (
    <li key={token}>
      <span>{name}</span>
      <input readOnly value={at(token)} aria-label={name} onFocus={(e) => e.currentTarget.select()} />
      <button type="button" onClick={() => navigator.clipboard?.writeText(at(token)).then(() => setCopied(token))}>{copied === token ? t("copied") : t("Copy")}</button>
    </li>
  );
  return (
    <div>
      <h2>{t("Links")}</h2>
      {LOCAL.test(location.hostname) ? <p class="note local-only">{t("These links open on this machine only. To invite others, start closedhand web with --host.")}</p> : null}
      <ul class="links">
        {links.tokens.map((token, i) => token ? row(`${t("seat")} ${i + 1}: ${table.seats[i].name}`, token) : null)}
        {row(t("Link to watch"), links.watch)}
      </ul>
    </div>
  );
}
