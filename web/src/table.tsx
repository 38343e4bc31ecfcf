// A table, as a person sees it and plays at it.
//
// A click on a card changes only the choice (choice.ts). The button Play, another button or a key sends
// the request "play" with the id of an action (pending.ts, net.ts). Its answer is empty: the server
// pushes the changed "table" to all who see it, which replaces the table here.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { adviser, chooseAdviser, useAdvice } from "./advice";
import { Arrange } from "./arrange";
import { face } from "./cards";
import { useChoice } from "./choice";
import { Coach, isCoached, setCoached } from "./coach";
import { useShared } from "./context";
import { useEffects, useTitle } from "./effects";
import { Fan } from "./fan";
import { Felt, occupant } from "./felt";
import { ChancesPanel, HintPanel } from "./hints";
import { HintLine } from "./hint-line";
import { Handover, nextSeat } from "./hotseat";
import { focusNext, rankOf, useKeys } from "./keys";
import { Offline } from "./net";
import { Mark } from "./marks";
import { signed, toneClass, verdict } from "./outcome";
import { Links, List, Moves } from "./panels";
import { useSender } from "./pending";
import { usePreparation } from "./preparation";
import { Result } from "./result";
import { RulesText } from "./rules";
import { Score } from "./score";
import { translator, type Translate } from "./strings";
import { Clock, EffectsButton, PanelButton, Parts, ReviewButton, type Panel } from "./table-parts";
import type { Action, Game, Table } from "./types";

const BESIDE = "(min-width: 1000px) and (min-height: 500px)"; // where a panel covers nothing
const MOST_NAMED = 9; // cards of a play that the button names
const DOUBLE = 300; // milliseconds between two taps that play
const OF_POSITION: Panel[] = ["list", "hint", "chances"]; // panels that close when the table changes

export function TablePage({ id, token }: { id: string; token: string }) {
  const { net, games, language } = useShared();
  const [table, setTable] = useState<Table | null>(null);
  const [error, setError] = useState("");
  const [, setShown] = useState(0);

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
  const next = nextSeat(table);
  if (next >= 0) return <Handover table={table} to={next} show={() => setShown((before) => before + 1)} t={t} />;
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
  const choice = useChoice(hand, position.legal, position.to_beat !== null);
  const [readings, setReadings] = useState<Action[]>([]); // plays of the same cards, to choose from
  const [panel, setPanel] = useState<Panel>("");
  const [arrangement, setArrangement] = useState<string | null>(null); // of the parts, from the hints
  const [hinted, setHinted] = useState(false); // whether a hint was asked for, beside that of the coach
  const [reason, setReason] = useState(""); // why the chosen cards are no legal play
  const { hint, chances, clear } = useAdvice(table.version);
  const positionKey = `${table.table} ${table.version}`;

  // A layout effect: a later one would undo the first key or click on the new position.
  useLayoutEffect(() => {
    choice.clear();
    setReadings([]);
    setArrangement(null);
    setHinted(false);
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

  useTitle(myTurn ? `● ${t("Your turn")}` : "");
  const isDealt = useEffects(table);
  const [coached, setCoach] = useState(isCoached);
  const coach = (on: boolean) => { setCoached(on); setCoach(on); };
  useEffect(() => { if (coached && table.asked) askHint(undefined, false); }, [positionKey, table.asked, coached]);

  // A hint and chances that a lost connection has cut off are asked for once the table is joined anew.
  const cutOff = useRef("");
  useEffect(() => net.on("online", (online) => { if (!online) cutOff.current = positionKey; }), [positionKey]);
  useEffect(() => {
    if (cutOff.current === positionKey) {
      if (!hint?.done && (hinted || (coached && table.asked))) requestHint();
      if (!chances && panel === "chances") void ask("chances", { version: table.version });
    }
    cutOff.current = "";
  }, [table]);

  const toggle = (panelName: Panel) => setPanel(panel === panelName ? "" : panelName);
  const play = (action: Action) => { if (myTurn) void send("play", { version: table.version, action: action.id }); };
  // Actions without cards, such as a pass or a bid, have buttons of their own.
  const buttons = (position.legal ?? []).filter((action) => !action.cards.length);
  // Of several plays of the chosen cards, the advised one is made at once.
  const toPlay = choice.plays.length === 1 ? choice.plays[0] : choice.plays.find((action) => action.id === hint?.action?.id);
  const submit = () => {
    if (toPlay) play(toPlay);
    else if (choice.plays.length) setReadings(choice.plays);
  };
  const requestHint = () => {
    const by = adviser(game.name);
    void ask("hint", { version: table.version, ...(by ? { by } : {}) });
  };
  const askHint = (by?: string, open = true) => {
    if (by) chooseAdviser(game.name, by);
    clear();
    choice.clear();
    setArrangement(null);
    setHinted(open);
    if (open) setPanel(matchMedia(BESIDE).matches || position.parts.length ? "hint" : "");
    requestHint();
  };
  const tapped = useRef({ index: -1, at: 0 });
  const tap = (index: number) => {
    setReadings([]);
    const isDouble = tapped.current.index === index && performance.now() - tapped.current.at < DOUBLE;
    tapped.current = { index, at: performance.now() };
    if (isDouble && choice.plays.length) submit();
    else choice.tap(index);
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
    // A focused button would take the next Enter: keys that act elsewhere take the focus from it.
    const leaveButton = () => isOnButton && at.blur();
    const others: Record<string, () => void> = {
      escape: () => { choice.clear(); setPanel(""); setReadings([]); },
      h: () => { if (table.asked) { leaveButton(); askHint(); } },
      u: () => void send("undo"),
      n: () => position.over && isMine && !table.remote && !pending && next(false), // as its button
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
      leaveButton();
      const ofRank = hand.map((_, i) => i).filter((i) => face(hand[i], game.faces).rank === rankOf(key));
      const free = ofRank.find((i) => !choice.chosen.has(i));
      if (free !== undefined) choice.toggle(free);
      else ofRank.forEach(choice.toggle);
    } else if (!event.repeat) others[key]?.();
  });

  const preparing = usePreparation(game, "hints", (hinted || coached) && table.asked && !hint, t);
  // Who may begin the next hand: a player, or the owner of a table of agents alone.
  const isMine = seat >= 0 || (!table.seats.some((holder) => holder.person) && net.owner);
  const result = position.over && seat >= 0 ? position.returns : null;
  return (
    <main class={`table-page${panel ? " with-panel" : ""}${isDealt ? " dealt" : ""}`} data-version={table.version}>
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
        <EffectsButton t={t} />
      </nav>
      <Felt position={position} holders={table.seats} own={seat} game={game} t={t}>
        <div class={`mine${myTurn ? " turn" : ""}`}>
          <p class="status" role="status" aria-live="polite" data-turn={myTurn} data-over={position.over}>{statusOf(table, pending, t)}
            {own && (own.role || own.marks.length) ? <small> {own.role ? `${t(own.role)} ` : ""}{own.marks.map((text) => <Mark key={text} text={text} t={t} />)}</small> : null}
            {result ? <b class={toneClass(result, seat)}> {signed(result[seat])}</b> : null}
          </p>
          {coached && seat >= 0 ? <Coach table={table} hint={hint} preparing={preparing} t={t} /> : null}
          {table.trouble ? <p class="error" role="alert">{table.trouble} {seat >= 0 && !table.remote ? <button type="button" id="resume" onClick={() => void ask("step")}>{t("Go on")}</button> : null}</p> : null}
          {error ? <p class="error" role="alert">{error}</p> : null}
          {hinted && panel !== "hint" ? <HintLine hint={hint} preparing={preparing} open={() => setPanel("hint")} t={t} /> : null}
          {position.over && position.returns ? <Result table={table} t={t} /> : null}
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
                    {choice.hasPlays ? <button type="button" class="primary" id="play" disabled={pending || !choice.plays.length} onClick={submit}>{t("Play")}{toPlay && choice.cards.length < MOST_NAMED ? ` ${toPlay.text}` : ""}</button> : null}
                    {buttons.map((action) => <button type="button" class={`act${hint?.action?.id === action.id ? " primary" : ""}`} key={action.id} data-action={action.id} disabled={pending} onClick={() => play(action)}>{t(action.text)}</button>)}
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
                : own ? <Fan cards={hand} game={game} t={t} chosen={choice.chosen} tap={tap}
                  toggle={table.asked && choice.hasPlays ? (i) => { setReadings([]); choice.toggle(i); } : undefined} label={t("You")} /> : null}
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
          {panel === "hint" ? <HintPanel hint={hint} game={game} t={t} use={(action) => (position.parts.length ? setArrangement(action.text) : choice.choose(action.cards))} again={(by) => askHint(by)} /> : null}
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
