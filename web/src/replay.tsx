// A game under study: its moves, the value of each position, and the cost of each play.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { adviser, chooseAdviser, useAdvice, useAnswer } from "./advice";
import { indicesOf } from "./choice";
import { useReturns, useShared } from "./context";
import { Fan, groups } from "./fan";
import { EndgamePanel } from "./endgame";
import { Felt, recorded } from "./felt";
import { bytes, save } from "./files";
import { ChancesPanel, HintPanel } from "./hints";
import { Curve } from "./curve";
import { Verdict } from "./mistakes";
import { useKeys } from "./keys";
import { MoveColumns } from "./moves";
import { Offline } from "./net";
import { Waiting } from "./preparation";
import { Setup } from "./setup";
import { Story } from "./story";
import { translator } from "./strings";
import type { Endgame, Judged, Position, ReplayData, SeatHolder } from "./types";

const PAUSE = 60; // milliseconds between positions that are asked for: a held key passes more than the server takes
const REST = 150; // milliseconds at a position before it is analysed

export function Replayed({ data, back }: { data: ReplayData; back?: () => void }) {
  const { net, games, language } = useShared();
  const game = games.find((each) => each.name === data.game)!;
  const t = useMemo(() => translator(language, game), [language, game]);
  const [ply, setPly] = useState(0);
  const [seat, setSeat] = useState(-1);
  const [position, setPosition] = useState<Position | null>(null);
  const [judged, setJudged] = useState<Map<number, Judged>>(() => new Map((data.judged ?? []).map((each) => [each.ply, each])));
  const [judging, setJudging] = useState(false);
  const { hint, chances, clear } = useAdvice(ply);
  const [endgame, forget] = useAnswer<Endgame>("endgame", ply);
  const [panel, setPanel] = useState<"moves" | "hint" | "play">("moves");
  const [said, setSaid] = useState("");
  const cache = useRef(new Map<string, Position>());
  const last = data.moves.length;
  const returns = useReturns();
  const players = recorded(data.agents, t);
  const holders: SeatHolder[] = Array.from({ length: data.players }, (_, i) => ({ agent: players[i] ?? "", name: "", person: false, player: i }));
  const fail = (e: Error) => { if (!(e instanceof Offline)) setSaid(e.message); };

  const wanted = useRef({ ply, seat });
  const isAsking = useRef(false);
  // One position is asked for at a time; those that were passed meanwhile are left out.
  const look = () => {
    const now = wanted.current;
    const key = `${now.ply} ${now.seat}`;
    const kept = cache.current.get(key);
    if (kept) setPosition(kept);
    if (kept || isAsking.current) return;
    isAsking.current = true;
    const goOn = () => {
      isAsking.current = false;
      if (wanted.current !== now) look();
    };
    net.ask("ply", now.seat < 0 ? { ply: now.ply } : now).then((found) => {
      found.ply = now.ply;
      cache.current.set(key, found);
      if (wanted.current === now) setPosition(found);
    }, fail).then(() => setTimeout(goOn, PAUSE));
  };
  useEffect(() => {
    wanted.current = { ply, seat };
    look();
  }, [ply, seat, returns]);
  const analyse = (chosen?: string) => {
    if (chosen) chooseAdviser(game.name, chosen);
    clear();
    const by = chosen ?? adviser(game.name);
    void report(net.ask("ranked", { ply, ...(by ? { by } : {}) }));
  };
  const solve = (long: boolean) => {
    forget();
    void report(net.ask("endgame", { ply, long }));
  };
  useEffect(() => {
    if (panel !== "hint" || ply >= last) return;
    const rest = setTimeout(() => {
      if (data.solvable) solve(false); // first: it takes a moment only
      analyse();
    }, REST);
    return () => clearTimeout(rest);
  }, [ply, panel]);
  // What a lost connection has cut off.
  useEffect(() => {
    if (!returns || panel !== "hint" || ply >= last) return;
    if (data.solvable && !endgame) solve(false);
    if (!hint?.done || !chances) analyse();
  }, [returns]);
  const side = useRef<HTMLElement>(null);
  // What is said of the move stays in view where the side scrolls by itself: its line of the story, else of the list.
  useEffect(() => {
    const box = side.current;
    const line = box?.querySelector(".turning[aria-pressed=true], .moves .now")?.getBoundingClientRect();
    if (!box || !line) return;
    const shown = box.getBoundingClientRect();
    if (line.top < shown.top || line.bottom > shown.bottom) box.scrollTop += line.top - shown.top - shown.height / 3;
  }, [ply, panel]);
  useEffect(() => {
    const offs = [
      net.on("judged", (data: Judged) => {
        if (data.ply < 0) {
          setJudging(false);
          if (data.error) setSaid(data.error);
        } else setJudged((before) => new Map(before).set(data.ply, data));
      }),
      net.on("online", () => setJudging(false)), // the server stops with the connection
    ];
    return () => {
      offs.forEach((off) => off());
      void net.ask("stop", { work: "judge" }).catch(() => {});
    };
  }, []);
  useKeys((event) => {
    const step: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -1e6, End: 1e6 };
    if (!(event.key in step)) return;
    event.preventDefault();
    setPly((before) => Math.max(0, Math.min(last, before + step[event.key])));
  });

  const report = (promise: Promise<any>) => promise.catch(fail);
  const judge = () => {
    setJudging(true);
    setJudged(new Map());
    void report(net.ask("judge").catch((e: Error) => { setJudging(false); throw e; }));
  };
  const copy = (what: string) => navigator.clipboard?.writeText(what).then(() => setSaid(t("copied")));
  const link = `${location.origin}${location.pathname}#/replay/${encodeURIComponent(data.record)}`;
  const picture = (all: boolean) => report(net.ask("picture", { ply, all, ...(seat < 0 ? {} : { seat }) }).then((found: string) => save(all ? "game.gif" : "position.png", bytes(found), all ? "image/gif" : "image/png")));
  const own = seat < 0 ? undefined : position?.rows.find((row) => row.seat === seat);
  const at = judged.get(ply);
  // Lifted in the hand of the player to act: the play of the analysis, else the better play that was found.
  const advised = panel === "hint" ? hint?.action?.cards : at?.play?.verdict === "mistake" ? at.play.best?.cards : undefined;
  // Agents of the same name are told apart by their seats.
  const nameOf = (each: number) => {
    const agent = holders[each].agent;
    if (!agent) return `${t("seat")} ${each + 1}`;
    return holders.filter((other) => other.agent === agent).length > 1 ? `${agent} ${each + 1}` : agent;
  };
  const mistakes = [...judged.values()].filter((each) => each.play?.verdict === "mistake").map((each) => each.ply).sort((a, b) => a - b);
  const nextMistake = mistakes.find((each) => each > ply) ?? mistakes[0];

  return (
    <main class="table-page replay-page" data-ply={position?.ply}>
      <nav class="bar">
        {back ? <button type="button" class="icon-button" aria-label={t("Replay")} onClick={back}>‹</button> : null}
        <h1>{t(game.title)}</h1>
        <span class="spacer" />
        {mistakes.length ? <button type="button" id="next-mistake" onClick={() => setPly(nextMistake)}>{t("Next mistake")} ({mistakes.indexOf(nextMistake) + 1}/{mistakes.length})</button> : null}
        {net.live ? <><label class="from">{t("Look from")} <select value={seat} onChange={(e) => setSeat(Number(e.currentTarget.value))}>
          <option value={-1}>{t("All hands open")}</option>
          {holders.map((holder, i) => <option key={i} value={i}>{t("seat")} {i + 1}{holder.agent ? `: ${holder.agent}` : ""}</option>)}
        </select></label>
        <button type="button" id="judge" onClick={judge} disabled={judging}>{t("Mistakes")}{judging ? ` ${judged.size}/${last + 1}` : ""}</button></> : null}
      </nav>
      <div class="split">
        <div class="stage">
          {position ? (
            <Felt position={position} holders={holders} own={seat} advised={advised} game={game} t={t}>
              <div class="mine">{own ? groups(own.cards).map((cards, i) => <Fan key={i} cards={cards} game={game} t={t} chosen={advised && position.player === seat ? indicesOf(advised, cards) : undefined} use={groups(own.cards).length > 1 ? "row" : "hand"} />) : null}
                {ply > 0 ? <p class="status">{ply}. {nameOf(data.moves[ply - 1].player)}: {t(data.moves[ply - 1].text)}</p> : null}
                {at?.play && at.play.best ? <p class="status"><small>{t(data.moves[ply].text)}: <Verdict judged={at} unit={data.unit} t={t} /></small></p> : null}
              </div>
            </Felt>
          ) : <p class="busy">…</p>}
          <div class="scrub">
            <button type="button" aria-label="|<" onClick={() => setPly(0)}>«</button>
            <button type="button" aria-label="<" onClick={() => setPly(Math.max(0, ply - 1))}>‹</button>
            <input type="range" id="scrub" aria-label={t("Position")} min={0} max={last} value={ply} onInput={(e) => setPly(Number(e.currentTarget.value))} />
            <button type="button" aria-label=">" id="forward" onClick={() => setPly(Math.min(last, ply + 1))}>›</button>
            <button type="button" aria-label=">|" onClick={() => setPly(last)}>»</button>
            <output>{ply}/{last}</output>
          </div>
          <Curve judged={judged} data={data} name={nameOf} ply={ply} setPly={setPly} t={t} />
        </div>
        <aside class="side" ref={side}>
          {net.live ? <p class="row tabs">
            <button type="button" aria-pressed={panel === "moves"} onClick={() => setPanel("moves")}>{t("Moves")}</button>
            <button type="button" id="analyse" aria-pressed={panel === "hint"} onClick={() => setPanel("hint")}>{t("Analyse")}</button>
            <button type="button" aria-pressed={panel === "play"} onClick={() => setPanel("play")}>{t("Play on from here")}</button>
          </p> : null}
          {said ? <p role="status">{said}</p> : null}
          {panel === "moves" ? (
            <>
              {judging && !judged.size ? <Waiting game={game} stage="hints" t={t} /> : null}
              <Story judged={judged} data={data} name={nameOf} ply={ply} setPly={setPly} t={t} />
              <MoveColumns data={data} game={game} judged={judged} name={nameOf} ply={ply} setPly={setPly} t={t} />
              <p class="row">
                <button type="button" id="save-record" onClick={() => save("game.jsonl", `${data.record}\n`, "application/json")}>{t("Save the record")}</button>
                {net.live ? <><button type="button" id="copy-link" onClick={() => copy(link)}>{t("Copy the link")}</button>
                <button type="button" id="copy-position" onClick={() => report(net.ask("text", { ply }).then(copy))}>{t("Copy the position")}</button>
                <button type="button" id="save-picture" onClick={() => picture(false)}>{t("Save a picture")}</button>
                <button type="button" id="save-animation" onClick={() => picture(true)}>GIF</button></> : null}
              </p>
            </>
          ) : null}
          {panel === "hint" ? <>{ply < last ? <HintPanel hint={hint} game={game} t={t} use={() => {}} again={analyse} /> : <p>{t("The hand is over")}</p>}
            {data.solvable && ply < last ? <EndgamePanel endgame={endgame} game={game} name={nameOf} again={() => solve(true)} t={t} /> : null}
            {ply < last ? <ChancesPanel chances={chances} holders={holders} own={-9} game={game} t={t} /> : null}</> : null}
          {panel === "play" ? <Setup game={game} request="playon" given={{ ply }} players={data.players} /> : null}
        </aside>
      </div>
    </main>
  );
}
