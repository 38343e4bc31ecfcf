// A table: what a person sees and does there.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Arrange } from "./arrange";
import { face } from "./cards";
import { useShared } from "./context";
import { Fan, Felt, Said, lastMoves, occupant } from "./felt";
import { HintPanel, ChancesPanel } from "./hints";
import { Offline } from "./net";
import { mark, translator, type Translate } from "./strings";
import type { Action, Game, Hint, Hand, Table, Chances } from "./types";

const bag = (cards: string[]) => [...cards].sort().join("\n");

export function TablePage({ id, token }: { id: string; token: string }) {
  const { net, games, language } = useShared();
  const [table, setTable] = useState<Table | null>(null);
  const [error, setError] = useState("");

  useEffect(() => {
    setTable(null);
    setError("");
    const join = () => net.ask("join", { table: id, token }).catch((e) => e instanceof Offline || setError(e.message));
    const offs = [
      net.on("table", (data) => data.table === id && setTable(data)),
      net.on("closed", () => setError("closed")),
      net.on("online", (online) => online && join()),
    ];
    join();
    return () => {
      for (const off of offs) off();
      void net.ask("leave");
    };
  }, [id, token]);

  const game = games.find((each) => each.name === table?.game);
  const t = useMemo(() => translator(language, game), [language, game]);
  if (error) return <main class="page"><p class="error" role="alert">{error}</p><a class="button" href="#/">{t("Back to the games")}</a></main>;
  if (!table || !game) return <main class="page"><p class="busy">…</p></main>;
  return <AtTable table={table} game={game} t={t} />;
}

function AtTable({ table, game, t }: { table: Table; game: Game; t: Translate }) {
  const { net } = useShared();
  const { position, seat, links } = table;
  const own = seat < 0 ? undefined : position.rows.find((row) => row.seat === seat);
  const cards = useMemo(() => (own?.cards ?? []).filter((card) => card && card !== " "), [own?.cards.join("|")]);
  const myTurn = table.asked;
  const [chosen, setChosen] = useState<Set<number>>(new Set());
  const [said, setSaid] = useState("");
  const [readings, setReadings] = useState<Action[]>([]);
  const [panel, setPanel] = useState<"" | "list" | "hint" | "chances" | "moves" | "score" | "links">("");
  const [hint, setHint] = useState<Hint | null>(null);
  const [setting, setSetting] = useState<string | null>(null);
  const [chances, setChances] = useState<Chances | null>(null);
  const stale = `${table.table} ${table.version}`;

  // A layout effect: a later one would undo the first key or click on the new position.
  useLayoutEffect(() => {
    setChosen(new Set());
    setReadings([]);
    setSaid("");
    setHint(null);
    setSetting(null);
    setChances(null);
    setPanel((open) => (open === "hint" || open === "chances" || open === "list" ? "" : open));
  }, [stale]);
  useEffect(() => {
    const offs = [net.on("hint", setHint), net.on("chances", setChances)];
    return () => offs.forEach((off) => off());
  }, []);

  const ask = useCallback((what: string, given: object = {}) => {
    setSaid("");
    return net.ask(what, given).catch((e: Error) => setSaid(e.message));
  }, []);
  const play = useCallback((action: Action) => ask("play", { version: table.version, action: action.id }), [table.version]);

  const legal = position.legal ?? [];
  const plain = legal.filter((action) => !action.cards.length);
  const byCards = useMemo(() => {
    const found = new Map<string, Action[]>();
    for (const action of legal) {
      if (!action.cards.length) continue;
      const key = bag(action.cards);
      found.set(key, [...(found.get(key) ?? []), action]);
    }
    return found;
  }, [position.legal]);
  const picked = [...chosen].sort((a, b) => a - b).map((i) => cards[i]);
  const matches = picked.length ? byCards.get(bag(picked)) ?? [] : [];

  const choose = (wanted: string[]) => {
    const rest = [...wanted];
    const found = new Set<number>();
    cards.forEach((card, i) => {
      const at = rest.indexOf(card);
      if (at >= 0) {
        rest.splice(at, 1);
        found.add(i);
      }
    });
    setChosen(found);
  };
  const toggle = (i: number) => {
    setReadings([]);
    setChosen((before) => {
      const after = new Set(before);
      if (!after.delete(i)) after.add(i);
      return after;
    });
  };
  const submit = () => {
    if (matches.length === 1) void play(matches[0]);
    else if (matches.length > 1) setReadings(matches);
  };
  const askHint = () => {
    setHint(null);
    setSetting(null);
    setPanel("hint");
    void ask("hint", {});
  };
  const askWorlds = () => {
    setChances(null);
    setPanel("chances");
    void ask("chances", {});
  };

  const keys = useRef<(event: KeyboardEvent) => void>(() => {});
  keys.current = (event) => {
    const at = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName)) return;
    const key = event.key.toLowerCase();
    const act: Record<string, () => void> = {
      escape: () => { setChosen(new Set()); setPanel(""); setReadings([]); },
      h: askHint,
      u: () => void ask("undo"),
      n: () => position.over && void ask("again", { same: false }),
      l: () => setPanel(panel === "list" ? "" : "list"),
    };
    if (event.key === "Enter" && !(at instanceof HTMLButtonElement && !at.classList.contains("slot")) && matches.length) {
      event.preventDefault();
      submit();
      return;
    }
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const slots = [...document.querySelectorAll<HTMLElement>(".fan.own .slot, .tray .slot")];
      const now = slots.indexOf(document.activeElement as HTMLElement);
      const next = slots[(now + (event.key === "ArrowRight" ? 1 : -1) + slots.length) % slots.length];
      if (next) {
        event.preventDefault();
        next.focus();
      }
      return;
    }
    if (readings.length && readings[Number(key) - 1]) void play(readings[Number(key) - 1]);
    else if (key === "p" && myTurn && plain.length) void play(plain[0]);
    else if (/^[1-9]$/.test(key) && myTurn && !byCards.size && plain[Number(key) - 1]) void play(plain[Number(key) - 1]);
    else if (/^[0-9jqkaxyzt]$/.test(key) && cards.length && !position.parts.length) {
      const rank = key === "1" || key === "0" || key === "t" ? "10" : key === "x" ? "joker" : key === "y" ? "JOKER" : key.toUpperCase();
      const of = cards.map((card, i) => ({ i, rank: face(card, game.faces).rank })).filter((each) => each.rank === rank);
      const free = of.find((each) => !chosen.has(each.i));
      if (free) toggle(free.i);
      else of.forEach((each) => toggle(each.i));
    } else act[key]?.();
  };
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => keys.current(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);

  const last = lastMoves(position);
  const acting = table.seats[position.player];
  const result = position.returns;
  const mean = result ? result.reduce((a, b) => a + b, 0) / result.length : 0;
  const verdict = !position.over || !result ? "" : seat < 0 ? t("The hand is over")
    : result[seat] > mean ? t("You win") : result[seat] < mean ? t("You lose") : t("A draw");
  const status = position.over ? verdict
    : myTurn ? t(position.parts.length ? "Place the cards" : "Your turn")
    : `${occupant(acting, position.player, seat, t)} ${acting?.person ? "…" : t("is thinking")}`;
  const isMine = seat >= 0 || (!table.seats.some((holder) => holder.person) && net.owner);

  return (
    <main class="table-page" data-version={table.version}>
      <nav class="bar">
        <a class="icon-button" href="#/" aria-label={t("Back to the games")}>‹</a>
        <h1>{t(game.title)}</h1>
        <span class="spacer" />
        {seat < 0 ? <span class="chip">{t("Watching")}</span> : null}
        <button type="button" onClick={() => setPanel(panel === "moves" ? "" : "moves")} aria-expanded={panel === "moves"}>{t("Moves")}</button>
        <button type="button" onClick={() => setPanel(panel === "score" ? "" : "score")} aria-expanded={panel === "score"}>{t("Score")}</button>
        {links ? <button type="button" onClick={() => setPanel(panel === "links" ? "" : "links")} aria-expanded={panel === "links"}>{t("Links")}</button> : null}
      </nav>
      <Felt position={position} holders={table.seats} own={seat} game={game} t={t}>
        <div class={`mine${myTurn ? " turn" : ""}`}>
          <p class="status" role="status" aria-live="polite" data-turn={myTurn} data-over={position.over}>{status}
            {own && (own.role || own.marks.length) ? <small> {[own.role && t(own.role), ...own.marks.map((text) => mark(text, t))].filter(Boolean).join(" · ")}</small> : null}
            {position.over && result && seat >= 0 ? <b class={result[seat] > mean ? "points up" : "points down"}> {result[seat] > 0 ? "+" : ""}{Math.round(result[seat] * 1000) / 1000}</b> : null}
          </p>
          {table.trouble ? <p class="error" role="alert">{table.trouble}</p> : null}
          {said ? <p class="error" role="alert">{said}</p> : null}
          {own && !game.simultaneous && !myTurn ? <Said move={last.get(seat)} game={game} t={t} /> : null}
          {readings.length ? (
            <div class="readings" role="dialog" aria-label={t("Choose a reading")}>
              <b>{t("Choose a reading")}</b>
              {readings.map((action, i) => <button type="button" class="primary" key={action.id} onClick={() => play(action)}>{i + 1} {action.text}</button>)}
            </div>
          ) : null}
          {myTurn && position.parts.length ? (
            <Arrange key={stale} cards={cards} parts={position.parts} game={game} t={t} table={table.version} suggestion={setting ?? hint?.action?.text ?? null} ask={askHint} />
          ) : (
            <>
              <div class="actions">
                {myTurn ? (
                  <>
                    {byCards.size ? <button type="button" class="primary" id="play" disabled={!matches.length} onClick={submit}>{t("Play")}</button> : null}
                    {plain.map((action) => <button type="button" class="act" key={action.id} data-action={action.id} onClick={() => play(action)}>{t(action.text)}</button>)}
                    {chosen.size ? <button type="button" onClick={() => setChosen(new Set())}>{t("Clear")}</button> : null}
                    <button type="button" id="hint" onClick={askHint}>{t("Hint")}</button>
                    {byCards.size ? <button type="button" id="list" aria-expanded={panel === "list"} onClick={() => setPanel(panel === "list" ? "" : "list")}>{t("List")} ({position.number})</button> : null}
                  </>
                ) : null}
                {position.over && isMine && table.remote ? <ReviewButton t={t} /> : null}
                {position.over && isMine && !table.remote ? (
                  <>
                    <button type="button" class="primary" id="next" onClick={() => ask("again", { same: false })}>{t("Next hand")}</button>
                    <button type="button" id="same" onClick={() => ask("again", { same: true })}>{t("Same deal, seats moved")}</button>
                    <ReviewButton t={t} />
                  </>
                ) : null}
                {seat >= 0 && !table.remote && position.moves.some((move) => move.player === seat) ? <button type="button" id="undo" onClick={() => ask("undo")}>{t("Undo")}</button> : null}
                {seat >= 0 && !position.over && cards.length > 1 ? <button type="button" id="holdings" onClick={askWorlds}>{t("Others")}</button> : null}
                {seat < 0 && isMine && !position.over && !table.remote ? <Clock table={table} t={t} ask={ask} /> : null}
              </div>
              {own && own.cards.includes(" ") ? <Parts cards={own.cards} note={own.note} game={game} t={t} />
                : own ? <Fan cards={cards} game={game} t={t} chosen={chosen} toggle={myTurn && byCards.size ? toggle : undefined} label={t("You")} /> : null}
            </>
          )}
        </div>
      </Felt>
      {panel ? (
        <aside class="panel" aria-label={t(panel)}>
          <button type="button" class="close" aria-label={t("Close")} onClick={() => setPanel("")}>×</button>
          {panel === "list" ? <List legal={legal} t={t} play={play} /> : null}
          {panel === "moves" ? <Moves table={table} t={t} /> : null}
          {panel === "score" ? <Score table={table} t={t} /> : null}
          {panel === "links" && links ? <Links table={table} links={links} t={t} /> : null}
          {panel === "hint" ? <HintPanel hint={hint} game={game} t={t} use={(cards, text) => (position.parts.length ? setSetting(text) : choose(cards))} again={(by) => { setHint(null); void ask("hint", { by }); }} /> : null}
          {panel === "chances" ? <ChancesPanel chances={chances} holders={table.seats} own={seat} game={game} t={t} /> : null}
        </aside>
      ) : null}
    </main>
  );
}

function Parts({ cards, note, game, t }: { cards: string[]; note: string; game: Game; t: Translate }) {
  const parts: string[][] = [[]];
  for (const card of cards) card === " " ? parts.push([]) : parts[parts.length - 1].push(card);
  return <div class="board own-board">{parts.map((part, i) => <Fan key={i} cards={part} game={game} t={t} small />)}<p class="note">{note}</p></div>;
}

function ReviewButton({ t }: { t: Translate }) {
  const { net } = useShared();
  if (!net.owner) return null;
  return <button type="button" id="review" onClick={async () => {
    const record = await net.ask("record").catch(() => null);
    if (record) location.hash = `#/replay/${encodeURIComponent(record)}`;
  }}>{t("Review this hand")}</button>;
}

function Clock({ table, t, ask }: { table: Table; t: Translate; ask: (what: string, given?: object) => void }) {
  const running = table.pace > 0;
  return (
    <>
      <button type="button" id="pause" class="primary" onClick={() => ask("pace", { seconds: running ? 0 : 0.7 })}>{t(running ? "Pause" : "Go on")}</button>
      {running ? null : <button type="button" id="step" onClick={() => ask("step")}>{t("Step")}</button>}
      <label class="speed">{t("Speed")} <input type="range" min="0" max="4" step="1" value={Math.round(4 - Math.min(4, table.pace / 0.5))}
        onChange={(e) => ask("pace", { seconds: Math.max(0.05, (4 - Number(e.currentTarget.value)) * 0.5) })} /></label>
    </>
  );
}

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
      <ul class="legal">{shown.slice(0, 400).map((action) => <li key={action.id}><button type="button" onClick={() => play(action)}>{t(action.text)}</button></li>)}</ul>
    </div>
  );
}

function Moves({ table, t }: { table: Table; t: Translate }) {
  return (
    <div>
      <h2>{t("Moves")}</h2>
      <ol class="moves">{table.position.moves.map((move, i) => (
        <li key={i}><span>{occupant(table.seats[move.player], move.player, table.seat, t)}</span> <b>{move.text === null ? t("hidden") : t(move.text)}</b></li>
      ))}</ol>
    </div>
  );
}

// On deals that were played at several seats: the points of an agent or person, less those of others at that seat.
function difference(hands: Hand[], who: string): number[] {
  const found: number[] = [];
  for (const hand of hands) {
    hand.occupants.forEach((occupant, seat) => {
      if (occupant !== who) return;
      const others = hands.filter((each) => each.deal === hand.deal && each.occupants[seat] !== who).map((each) => each.returns[seat]);
      if (others.length) found.push(hand.returns[seat] - others.reduce((a, b) => a + b, 0) / others.length);
    });
  }
  return found;
}

function Score({ table, t }: { table: Table; t: Translate }) {
  const hands = table.hands;
  const totals = new Map<string, number>();
  for (const hand of hands) hand.occupants.forEach((who, i) => totals.set(who, (totals.get(who) ?? 0) + hand.returns[i]));
  const persons = table.seats.filter((holder) => holder.person).map((holder) => holder.name);
  const round = (value: number) => `${value > 0 ? "+" : ""}${Math.round(value * 1000) / 1000}`;
  return (
    <div>
      <h2>{t("Score")}</h2>
      <div class="scroll"><table>
        <thead><tr><th>#</th>{table.seats.map((_, i) => <th key={i}>{t("seat")} {i + 1}</th>)}</tr></thead>
        <tbody>{hands.map((hand: Hand, i) => (
          <tr key={i}><th>{hand.deal + 1}{hand.turn ? `·${hand.turn + 1}` : ""}</th>{hand.returns.map((value, k) => <td key={k}><small>{hand.occupants[k]}</small> {round(value)}</td>)}</tr>
        ))}</tbody>
      </table></div>
      <h3>{t("Total")}</h3>
      <ul class="totals">{[...totals].map(([who, value]) => <li key={who}>{who} <b>{round(value)}</b></li>)}</ul>
      {persons.map((who) => {
        const gaps = difference(hands, who);
        return gaps.length ? <p key={who} class="difference">{who}, {t("against others on the same cards")}: <b>{round(gaps.reduce((a, b) => a + b, 0) / gaps.length)}</b> ({gaps.length})</p> : null;
      })}
    </div>
  );
}

function Links({ table, links, t }: { table: Table; links: { tokens: string[]; watch: string }; t: Translate }) {
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
      <ul class="links">
        {links.tokens.map((token, i) => token ? row(`${t("seat")} ${i + 1}: ${table.seats[i].name}`, token) : null)}
        {row(t("Link to watch"), links.watch)}
      </ul>
    </div>
  );
}
