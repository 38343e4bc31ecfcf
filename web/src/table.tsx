// A table, as a person sees it and plays at it.
//
// A click on a card changes only the choice (choice.ts). The button Play, another button or a key sends
// the request "play" with the id of an action (pending.ts, net.ts). Its answer is empty: the server
// pushes the changed "table" to all who see it, which replaces the table here.

import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { adviser, chooseAdviser, useAdvice } from "./advice";
import { Arrange } from "./arrange";
import { face } from "./cards";
import { useChoice } from "./choice";
import { Coach, isCoached, setCoached } from "./coach";
import { useShared } from "./context";
import { Fan, Felt, LastPlay, lastMoves, occupant } from "./felt";
import { ChancesPanel, HintPanel } from "./hints";
import { focusNext, rankOf, useKeys } from "./keys";
import { Offline } from "./net";
import { signed, toneClass, verdict } from "./outcome";
import { Links, List, Moves } from "./panels";
import { useSender, type Sender } from "./pending";
import { usePreparation } from "./preparation";
import { RulesText } from "./rules";
import { Score } from "./score";
import { mark, translator, type Translate } from "./strings";
import type { Action, Game, Table } from "./types";

type Panel = "" | "list" | "hint" | "chances" | "moves" | "score" | "links" | "rules";
const TITLE = "closedhand"; // of the window, while it is not this person's turn
const OF_POSITION: Panel[] = ["list", "hint", "chances"]; // panels that close when the table changes

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
      void net.ask("leave").catch(() => {});
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
  // The row of this person's seat, and the cards in it that can be clicked: no gaps, none face down.
  const own = seat < 0 ? undefined : position.rows.find((row) => row.seat === seat);
  const hand = useMemo(() => (own?.cards ?? []).filter((card) => card && card !== " "), [own?.cards.join("|")]);
  const { pending, error, send, ask } = useSender(table);
  const myTurn = table.asked && !pending;
  const choice = useChoice(hand, position.legal);
  const [readings, setReadings] = useState<Action[]>([]); // plays of the same cards, to choose from
  const [panel, setPanel] = useState<Panel>("");
  const [arrangement, setArrangement] = useState<string | null>(null); // of the parts, from the hints
  const [reason, setReason] = useState(""); // why the chosen cards are no legal play
  const { hint, chances, clear } = useAdvice(table.version);
  const positionKey = `${table.table} ${table.version}`;

  // A layout effect: a later one would undo the first key or click on the new position.
  useLayoutEffect(() => {
    choice.clear();
    setReadings([]);
    setArrangement(null);
    setPanel((open) => (OF_POSITION.includes(open) ? "" : open));
  }, [positionKey]);
  // The advised cards are lifted: one click on Play plays them.
  useEffect(() => {
    if (hint?.action?.cards.length && !choice.chosen.size && !position.parts.length) choice.choose(hint.action.cards);
  }, [hint?.action?.id]);
  useEffect(() => {
    setReason("");
    if (!myTurn || !choice.cards.length || choice.plays.length || position.parts.length) return;
    let current = true;
    net.ask("why", { version: table.version, cards: choice.cards }).then((found) => current && setReason(found), () => {});
    return () => { current = false; };
  }, [choice.cards.join("|"), positionKey, myTurn]);

  useEffect(() => {
    document.title = myTurn ? `● ${t("Your turn")}` : TITLE;
    return () => { document.title = TITLE; };
  }, [myTurn, t]);
  const [coached, setCoach] = useState(isCoached);
  const coach = (on: boolean) => { setCoached(on); setCoach(on); };
  useEffect(() => { if (coached && table.asked) askHint(undefined, false); }, [positionKey, table.asked, coached]);

  const toggle = (panelName: Panel) => setPanel(panel === panelName ? "" : panelName);
  const play = (action: Action) => { if (myTurn) void send("play", { version: table.version, action: action.id }); };
  // Actions without cards, such as a pass or a bid, have buttons of their own.
  const buttons = (position.legal ?? []).filter((action) => !action.cards.length);
  const submit = () => {
    if (choice.plays.length === 1) play(choice.plays[0]);
    else if (choice.plays.length > 1) setReadings(choice.plays);
  };
  const askHint = (by?: string, open = true) => {
    if (by) chooseAdviser(game.name, by);
    clear();
    choice.clear();
    setArrangement(null);
    if (open) setPanel("hint");
    const chosen = by ?? adviser(game.name);
    void ask("hint", { version: table.version, ...(chosen ? { by: chosen } : {}) });
  };
  const askChances = () => {
    clear();
    setPanel("chances");
    void ask("chances", { version: table.version });
  };
  const next = (same: boolean) => void send("again", { same });

  useKeys((event) => {
    const key = event.key.toLowerCase();
    const at = event.target as HTMLElement;
    const isOnButton = at instanceof HTMLButtonElement && !at.classList.contains("slot");
    const number = /^[1-9]$/.test(key) ? Number(key) : 0;
    const others: Record<string, () => void> = {
      escape: () => { choice.clear(); setPanel(""); setReadings([]); },
      h: () => table.asked && askHint(),
      u: () => void send("undo"),
      n: () => position.over && next(false),
      l: () => toggle("list"),
    };
    if (event.key === "Enter" && !isOnButton && choice.plays.length) {
      event.preventDefault();
      submit();
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      if (focusNext(event.key === "ArrowRight" ? 1 : -1)) event.preventDefault();
    } else if (readings[number - 1]) play(readings[number - 1]);
    else if (key === "p" && myTurn && buttons.length) play(buttons[0]);
    else if (number && myTurn && !choice.hasPlays && buttons[number - 1]) play(buttons[number - 1]);
    else if (rankOf(key) && hand.length && !position.parts.length) {
      const ofRank = hand.map((_, i) => i).filter((i) => face(hand[i], game.faces).rank === rankOf(key));
      const free = ofRank.find((i) => !choice.chosen.has(i));
      if (free !== undefined) choice.toggle(free);
      else ofRank.forEach(choice.toggle);
    } else others[key]?.();
  });

  const preparing = usePreparation(game, "hints", (panel === "hint" || coached) && table.asked && !hint, t);
  // Who may begin the next hand: a player, or the owner of a table of agents alone.
  const isMine = seat >= 0 || (!table.seats.some((holder) => holder.person) && net.owner);
  const result = position.over && seat >= 0 ? position.returns : null;
  return (
    <main class={`table-page${panel ? " with-panel" : ""}`} data-version={table.version}>
      <nav class="bar">
        <a class="icon-button" href="#/" aria-label={t("Back to the games")}>‹</a>
        <h1>{t(game.title)}</h1>
        <span class="spacer" />
        {seat >= 0 ? <button type="button" id="coach" aria-pressed={coached} onClick={() => coach(!coached)}>{t("Coach")}</button> : null}
        {seat < 0 ? <span class="chip">{t("Watching")}</span> : null}
        {game.has_rules ? <PanelButton name="rules" label="Rules" open={panel} toggle={toggle} t={t} /> : null}
        <PanelButton name="moves" label="Moves" open={panel} toggle={toggle} t={t} />
        <PanelButton name="score" label="Score" open={panel} toggle={toggle} t={t} />
        {links ? <PanelButton name="links" label="Links" open={panel} toggle={toggle} t={t} /> : null}
      </nav>
      <Felt position={position} holders={table.seats} own={seat} game={game} t={t}>
        <div class={`mine${myTurn ? " turn" : ""}`}>
          <p class="status" role="status" aria-live="polite" data-turn={myTurn} data-over={position.over}>{statusOf(table, pending, t)}
            {own && (own.role || own.marks.length) ? <small> {[own.role && t(own.role), ...own.marks.map((text) => mark(text, t))].filter(Boolean).join(" · ")}</small> : null}
            {result ? <b class={toneClass(result, seat)}> {signed(result[seat])}</b> : null}
          </p>
          {coached && seat >= 0 ? <Coach table={table} hint={hint} preparing={preparing} t={t} /> : null}
          {table.trouble ? <p class="error" role="alert">{table.trouble}</p> : null}
          {error ? <p class="error" role="alert">{error}</p> : null}
          {own && !game.simultaneous && !table.asked ? <LastPlay move={lastMoves(position).get(seat)} game={game} t={t} /> : null}
          {readings.length ? (
            <div class="readings" role="dialog" aria-label={t("Choose a reading")}>
              <b>{t("Choose a reading")}</b>
              {readings.map((action, i) => <button type="button" class="primary" key={action.id} onClick={() => play(action)}>{i + 1} {action.text}</button>)}
            </div>
          ) : null}
          {table.asked && position.parts.length ? (
            <Arrange key={positionKey} cards={hand} parts={position.parts} game={game} t={t} table={table.version} pending={pending}
              suggestion={arrangement ?? hint?.action?.text ?? null} ask={() => askHint()} play={(text) => void send("play", { version: table.version, text })} />
          ) : (
            <>
              {reason ? <p class="reason" role="status">{t(reason)}</p> : null}
              <div class="actions">
                {table.asked ? (
                  <>
                    {choice.hasPlays ? <button type="button" class="primary" id="play" disabled={pending || !choice.plays.length} onClick={submit}>{t("Play")}</button> : null}
                    {buttons.map((action) => <button type="button" class="act" key={action.id} data-action={action.id} disabled={pending} onClick={() => play(action)}>{t(action.text)}</button>)}
                    {choice.chosen.size ? <button type="button" onClick={choice.clear}>{t("Clear")}</button> : null}
                    <button type="button" id="hint" disabled={pending} onClick={() => askHint()}>{t("Hint")}</button>
                    {choice.hasPlays ? <button type="button" id="list" aria-expanded={panel === "list"} onClick={() => toggle("list")}>{t("List")} ({position.number})</button> : null}
                  </>
                ) : null}
                {position.over && isMine && !table.remote ? (
                  <>
                    <button type="button" class="primary" id="next" disabled={pending} onClick={() => next(false)}>{t("Next hand")}</button>
                    <button type="button" id="same" disabled={pending} onClick={() => next(true)}>{t("Same deal, seats moved")}</button>
                  </>
                ) : null}
                {position.over && isMine ? <ReviewButton t={t} /> : null}
                {seat >= 0 && !table.remote && position.moves.some((move) => move.player === seat) ? <button type="button" id="undo" disabled={pending} onClick={() => void send("undo")}>{t("Undo")}</button> : null}
                {seat >= 0 && !position.over && hand.length > 1 ? <button type="button" id="holdings" onClick={askChances}>{t("Others")}</button> : null}
                {seat < 0 && isMine && !position.over && !table.remote ? <Clock table={table} t={t} ask={ask} /> : null}
              </div>
              {own && own.cards.includes(" ") ? <Parts cards={own.cards} note={own.note} game={game} t={t} />
                : own ? <Fan cards={hand} game={game} t={t} chosen={choice.chosen} toggle={table.asked && choice.hasPlays ? (i) => { setReadings([]); choice.toggle(i); } : undefined} label={t("You")} /> : null}
            </>
          )}
        </div>
      </Felt>
      {panel ? (
        <aside class="panel" aria-label={t(panel)}>
          <button type="button" class="close" aria-label={t("Close")} onClick={() => setPanel("")}>×</button>
          {panel === "list" ? <List legal={position.legal ?? []} t={t} play={play} /> : null}
          {panel === "moves" ? <Moves table={table} t={t} /> : null}
          {panel === "score" ? <Score table={table} t={t} /> : null}
          {panel === "rules" ? <RulesText game={game} t={t} /> : null}
          {panel === "links" && links ? <Links table={table} links={links} t={t} /> : null}
          {panel === "hint" ? <HintPanel hint={hint} game={game} t={t} preparing={preparing} use={(action) => (position.parts.length ? setArrangement(action.text) : choice.choose(action.cards))} again={(by) => askHint(by)} /> : null}
          {panel === "chances" ? <ChancesPanel chances={chances} holders={table.seats} own={seat} game={game} t={t} /> : null}
        </aside>
      ) : null}
    </main>
  );
}

function statusOf({ position, seat, seats, asked, sides }: Table, pending: boolean, t: Translate): string {
  if (pending) return t("on its way …");
  if (position.over) return position.returns && seat >= 0 ? verdict(position.returns, sides, seat, t) : t("The hand is over");
  if (asked) return t(position.parts.length ? "Place the cards" : "Your turn");
  const acting = seats[position.player];
  return `${occupant(acting, position.player, seat, t)} ${acting?.person ? "…" : t("is thinking")}`;
}

function PanelButton({ name, label, open, toggle, t }: { name: Panel; label: string; open: Panel; toggle: (name: Panel) => void; t: Translate }) {
  return <button type="button" data-panel={name} onClick={() => toggle(name)} aria-expanded={open === name}>{t(label)}</button>;
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

const PACE = 0.7;
const SLOWEST_STEP = 4; // places of the slider, half a second each
const FASTEST = 0.05;

function Clock({ table, t, ask }: { table: Table; t: Translate; ask: Sender["ask"] }) {
  const running = table.pace > 0;
  return (
    <>
      <button type="button" id="pause" class="primary" onClick={() => void ask("pace", { seconds: running ? 0 : PACE })}>{t(running ? "Pause" : "Go on")}</button>
      {running ? null : <button type="button" id="step" onClick={() => void ask("step")}>{t("Step")}</button>}
      <label class="speed">{t("Speed")} <input type="range" min="0" max={SLOWEST_STEP} step="1" value={Math.round(SLOWEST_STEP - Math.min(SLOWEST_STEP, table.pace / 0.5))}
        onChange={(e) => void ask("pace", { seconds: Math.max(FASTEST, (SLOWEST_STEP - Number(e.currentTarget.value)) * 0.5) })} /></label>
    </>
  );
}
