// A game under study: its moves, the value of each position, and the cost of each play.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useShared } from "./context";
import { Fan, Felt, groups } from "./felt";
import { HintPanel, ChancesPanel } from "./hints";
import { OptionList, Setup } from "./lobby";
import { translator, type Translate } from "./strings";
import type { Action, SeatHolder, Game, Hint, Move, Position, Chances } from "./types";

interface Listed { game: string; agents: string[]; returns: number[]; actions: number }
export interface ReplayData extends Listed { record: string; players: number; moves: (Move & Action)[]; sides: number[]; judged?: Judged[] }
interface Judged {
  ply: number;
  values: [number, number][] | null;
  play: { verdict: string; best: Action | null; cost: number; low: number | null; high: number | null; number: number } | null;
}

function save(name: string, content: BlobPart, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const bytes = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

export async function base64(file: File): Promise<string> {
  const found = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let i = 0; i < found.length; i += 8192) text += String.fromCharCode(...found.subarray(i, i + 8192));
  return btoa(text);
}

export function ReplayPage({ record }: { record: string }) {
  const { net, t } = useShared();
  const [listed, setListed] = useState<Listed[]>([]);
  const [data, setData] = useState<ReplayData | null>(null);
  const [samples, setSamples] = useState<string[]>([]);
  const [error, setError] = useState("");
  const [text, setText] = useState("");

  const show = (index: number) => net.ask("replay", { index }).then(setData, (e: Error) => setError(e.message));
  const open = async (given: object) => {
    setError("");
    setData(null);
    setListed([]);
    try {
      const games = await net.ask("study", given);
      setListed(games);
      if (games.length === 1) await show(0);
    } catch (e) {
      setError((e as Error).message);
    }
  };
  useEffect(() => { void net.ask("samples").then(setSamples, () => {}); }, []);
  useEffect(() => { if (record) void open({ text: record }); }, [record]);

  if (data) return <Replayed key={data.record} data={data} back={() => setData(null)} />;
  return (
    <main class="page">
      <header class="head"><a class="icon-button" href="#/" aria-label={t("Back to the games")}>‹</a><h1>{t("Replay")}</h1></header>
      {error ? <p class="error" role="alert">{error}</p> : null}
      <section class="box" onDragOver={(e) => e.preventDefault()} onDrop={async (e) => {
        e.preventDefault();
        const file = e.dataTransfer?.files[0];
        if (file) await open({ data: await base64(file) });
      }}>
        <label for="paste">{t("Paste a record, or drop a file")}</label>
        <textarea id="paste" rows={6} value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <p class="row">
          <button type="button" class="primary" id="open" disabled={!text.trim()} onClick={() => open({ text })}>{t("Open")}</button>
          <label class="button">{t("Choose a file")}<input type="file" class="hidden" onChange={async (e) => {
            const file = e.currentTarget.files?.[0];
            if (file) await open({ data: await base64(file) });
          }} /></label>
          {samples.map((name) => <button type="button" key={name} data-sample={name} onClick={() => open({ sample: name })}>{t("Built-in games")}: {name.replace(/\..*$/, "")}</button>)}
        </p>
      </section>
      {listed.length ? (
        <ol class="games-list">{listed.map((each, i) => (
          <li key={i}><button type="button" data-record={i} onClick={() => show(i)}>
            <b>{i + 1}</b> {each.game} <small>{each.agents.join(" · ")}</small> <span>{each.returns.map((value) => (value > 0 ? `+${value}` : value)).join(" / ")}</span>
          </button></li>
        ))}</ol>
      ) : null}
    </main>
  );
}

export function Replayed({ data, back }: { data: ReplayData; back?: () => void }) {
  const { net, games, language } = useShared();
  const game = games.find((each) => each.name === data.game)!;
  const t = useMemo(() => translator(language, game), [language, game]);
  const [ply, setPly] = useState(0);
  const [seat, setSeat] = useState(-1);
  const [position, setPosition] = useState<Position | null>(null);
  const [judged, setJudged] = useState<Map<number, Judged>>(() => new Map((data.judged ?? []).map((each) => [each.ply, each])));
  const [judging, setJudging] = useState(false);
  const [hint, setHint] = useState<Hint | null>(null);
  const [chances, setChances] = useState<Chances | null>(null);
  const [panel, setPanel] = useState<"moves" | "hint" | "play">("moves");
  const [said, setSaid] = useState("");
  const cache = useRef(new Map<string, Position>());
  const last = data.moves.length;
  const holders: SeatHolder[] = Array.from({ length: data.players }, (_, i) => ({ agent: data.agents[i] ?? "", name: "", person: false }));

  useEffect(() => {
    const key = `${ply} ${seat}`;
    const kept = cache.current.get(key);
    if (kept) {
      setPosition(kept);
      return;
    }
    let current = true;
    net.ask("ply", seat < 0 ? { ply } : { ply, seat }).then((found) => {
      found.ply = ply;
      cache.current.set(key, found);
      if (current) setPosition(found);
    }, (e: Error) => setSaid(e.message));
    return () => { current = false; };
  }, [ply, seat]);
  useEffect(() => { setHint(null); setChances(null); if (panel === "hint" && ply < last) void net.ask("ranked", { ply }).catch(() => {}); }, [ply, panel]);
  useEffect(() => {
    const offs = [
      net.on("judged", (data: Judged) => {
        if (data.ply < 0) setJudging(false);
        else setJudged((before) => new Map(before).set(data.ply, data));
      }),
      net.on("hint", setHint),
      net.on("chances", setChances),
    ];
    const key = (event: KeyboardEvent) => {
      if (/^(INPUT|TEXTAREA|SELECT)$/.test((event.target as HTMLElement).tagName)) return;
      const step: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -1e6, End: 1e6 };
      if (event.key in step) {
        event.preventDefault();
        setPly((before) => Math.max(0, Math.min(last, before + step[event.key])));
      }
    };
    addEventListener("keydown", key);
    return () => {
      offs.forEach((off) => off());
      removeEventListener("keydown", key);
      for (const work of ["judge", "hint", "chances"]) void net.ask("stop", { work }).catch(() => {});
    };
  }, []);

  const report = (promise: Promise<any>) => promise.catch((e: Error) => setSaid(e.message));
  const copy = (what: string) => navigator.clipboard?.writeText(what).then(() => setSaid(t("copied")));
  const link = `${location.origin}${location.pathname}#/replay/${encodeURIComponent(data.record)}`;
  const picture = (all: boolean) => report(net.ask("picture", { ply, all, ...(seat < 0 ? {} : { seat }) }).then((found: string) => save(all ? "game.gif" : "position.png", bytes(found), all ? "image/gif" : "image/png")));
  const own = seat < 0 ? undefined : position?.rows.find((row) => row.seat === seat);
  const at = judged.get(ply);

  return (
    <main class="table-page replay-page" data-ply={position?.ply}>
      <nav class="bar">
        {back ? <button type="button" class="icon-button" aria-label={t("Replay")} onClick={back}>‹</button> : null}
        <h1>{t(game.title)}</h1>
        <span class="spacer" />
        {net.live ? <><label class="from">{t("Look from")} <select value={seat} onChange={(e) => setSeat(Number(e.currentTarget.value))}>
          <option value={-1}>{t("All hands open")}</option>
          {holders.map((holder, i) => <option key={i} value={i}>{t("seat")} {i + 1}{holder.agent ? `: ${holder.agent}` : ""}</option>)}
        </select></label>
        <button type="button" id="judge" onClick={() => { setJudging(true); setJudged(new Map()); void report(net.ask("judge")); }} disabled={judging}>{t("Mistakes")}{judging ? ` ${judged.size}/${last + 1}` : ""}</button></> : null}
      </nav>
      <div class="split">
        <div class="stage">
          {position ? (
            <Felt position={position} holders={holders} own={seat} game={game} t={t}>
              <div class="mine">{own ? groups(own.cards).map((cards, i) => <Fan key={i} cards={cards} game={game} t={t} small={groups(own.cards).length > 1} />) : null}
                {ply > 0 ? <p class="status">{ply}. {holders[data.moves[ply - 1].player].agent || `${t("seat")} ${data.moves[ply - 1].player + 1}`}: {t(data.moves[ply - 1].text)}</p> : null}
                {at?.play && at.play.best ? <p class="status"><small>{t(data.moves[ply].text)}: <Verdict judged={at} t={t} /></small></p> : null}
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
          <Curve judged={judged} data={data} ply={ply} setPly={setPly} t={t} />
        </div>
        <aside class="side">
          {net.live ? <p class="row tabs">
            <button type="button" aria-pressed={panel === "moves"} onClick={() => setPanel("moves")}>{t("Moves")}</button>
            <button type="button" id="analyse" aria-pressed={panel === "hint"} onClick={() => setPanel("hint")}>{t("Analyse")}</button>
            <button type="button" aria-pressed={panel === "play"} onClick={() => setPanel("play")}>{t("Play on from here")}</button>
          </p> : null}
          {said ? <p role="status">{said}</p> : null}
          {panel === "moves" ? (
            <>
              <ol class="moves">{data.moves.map((move, i) => {
                const found = judged.get(i);
                return (
                  <li key={i} class={i + 1 === ply ? "now" : ""}><button type="button" class="move" data-ply={i + 1} onClick={() => setPly(i + 1)}>
                    <span>{i + 1}. {holders[move.player].agent || `${t("seat")} ${move.player + 1}`}</span> <b>{t(move.text)}</b> {found?.play ? <Verdict judged={found} t={t} /> : null}
                  </button></li>
                );
              })}</ol>
              <p class="row">
                <button type="button" id="save-record" onClick={() => save("game.jsonl", `${data.record}\n`, "application/json")}>{t("Save the record")}</button>
                {net.live ? <><button type="button" id="copy-link" onClick={() => copy(link)}>{t("Copy the link")}</button>
                <button type="button" id="copy-position" onClick={() => report(net.ask("text", { ply }).then(copy))}>{t("Copy the position")}</button>
                <button type="button" id="save-picture" onClick={() => picture(false)}>{t("Save a picture")}</button>
                <button type="button" id="save-animation" onClick={() => picture(true)}>GIF</button></> : null}
              </p>
            </>
          ) : null}
          {panel === "hint" ? <><HintPanel hint={hint} game={game} t={t} use={() => {}} /><ChancesPanel chances={chances} holders={holders} own={-9} game={game} t={t} /></> : null}
          {panel === "play" ? <Setup game={game} request="playon" given={{ ply }} players={data.players} /> : null}
        </aside>
      </div>
    </main>
  );
}

function Verdict({ judged, t }: { judged: Judged; t: Translate }) {
  const play = judged.play!;
  if (play.verdict === "good") return <span class="verdict good">✓</span>;
  const interval = play.low === null || play.high === null ? "" : ` (${play.low.toFixed(2)} … ${play.high.toFixed(2)})`;
  const text = `${play.cost.toFixed(2)}${interval}`;
  return <span class={`verdict ${play.verdict}`} title={`${t(play.best!.text)}: ${text}`}>{play.verdict === "mistake" ? `✗ ${t(play.best!.text)} −${play.cost.toFixed(2)}` : t("unclear")}</span>;
}

const COLOURS = ["#f2c14e", "#6fb1fc", "#ff8f7d", "#7fdca4", "#c9a2ff"];

function Curve({ judged, data, ply, setPly, t }: { judged: Map<number, Judged>; data: ReplayData; ply: number; setPly: (ply: number) => void; t: Translate }) {
  const points = [...judged.values()].filter((each) => each.values).sort((a, b) => a.ply - b.ply);
  if (!points.length) return null;
  const all = points.flatMap((each) => each.values!.flatMap(([mean, half]) => [mean - half, mean + half]));
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const x = (at: number) => (400 * at) / Math.max(1, data.moves.length);
  const y = (value: number) => 96 - (92 * (value - low)) / Math.max(1e-9, high - low);
  const seats = [...Array(data.players).keys()].filter((seat) => data.sides.indexOf(data.sides[seat]) === seat);
  return (
    <figure class="curve">
      <svg viewBox="0 0 400 100" preserveAspectRatio="none" role="img" aria-label={t("Expected points")}
        onClick={(e) => { const box = e.currentTarget.getBoundingClientRect(); setPly(Math.round(((e.clientX - box.left) / box.width) * data.moves.length)); }}>
        <line class="zero" x1="0" x2="400" y1={y(0)} y2={y(0)} />
        <line class="now" x1={x(ply)} x2={x(ply)} y1="0" y2="100" />
        {seats.map((seat, k) => (
          <g key={seat} stroke={COLOURS[k % 5]} fill={COLOURS[k % 5]}>
            <path class="band" d={`M${points.map((p) => `${x(p.ply)} ${y(p.values![seat][0] + p.values![seat][1])}`).join("L")}L${[...points].reverse().map((p) => `${x(p.ply)} ${y(p.values![seat][0] - p.values![seat][1])}`).join("L")}Z`} />
            <path class="line" d={`M${points.map((p) => `${x(p.ply)} ${y(p.values![seat][0])}`).join("L")}`} />
          </g>
        ))}
        {points.filter((p) => p.play?.verdict === "mistake").map((p) => <path key={p.ply} class="wrong" d={`M${x(p.ply)} ${y(p.values![data.moves[p.ply].player][0])}h.01`} />)}
      </svg>
      <figcaption>{seats.map((seat, k) => <span key={seat}><i class={`dot dot-${k % 5}`} />{data.agents[seat] || `${t("seat")} ${seat + 1}`}</span>)} {t("Expected points")}</figcaption>
    </figure>
  );
}

// A position typed by a person.
export function AnalysePage() {
  const { net, games, language, t: common } = useShared();
  const [name, setName] = useState(() => localStorage.getItem("game") ?? games[0].name);
  const game: Game = games.find((each) => each.name === name) ?? games[0];
  const t = useMemo(() => translator(language, game), [language, game]);
  const [player, setPlayer] = useState("0");
  const [hand, setHand] = useState("");
  const [actions, setActions] = useState("");
  const [facts, setFacts] = useState("");
  const [options, setOptions] = useState<Record<string, string>>({});
  const [pasted, setPasted] = useState("");
  const [position, setPosition] = useState<Position | null>(null);
  const [hint, setHint] = useState<Hint | null>(null);
  const [chances, setChances] = useState<Chances | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    const offs = [net.on("hint", setHint), net.on("chances", setChances)];
    return () => {
      offs.forEach((off) => off());
      for (const work of ["hint", "chances"]) void net.ask("stop", { work }).catch(() => {});
    };
  }, []);
  const go = async (by?: string) => {
    setError("");
    setHint(null);
    setChances(null);
    const known = facts.split("\n").map((line) => line.split("=")).filter((parts) => parts.length === 2).map(([key, value]) => [key.trim(), value.trim()]);
    try {
      setPosition(await net.ask("analyse", { game: game.name, options, player: Number(player) || 0, hand, actions, public: Object.fromEntries(known), ...(by ? { by } : {}) }));
    } catch (e) {
      setPosition(null);
      setError((e as Error).message);
    }
  };
  const choose = (next: string) => {
    setName(next);
    setOptions({});
    setPosition(null);
  };
  const paste = async (text: string) => {
    setPasted(text);
    setError("");
    try {
      const found = await net.ask("position", { text });
      if (found.game && found.game !== game.name) choose(found.game);
      if (found.game) setOptions(Object.fromEntries(Object.entries(found.options).map(([key, value]) => [key, String(value)])));
      setPlayer(String(found.player));
      setHand(found.hand);
      setActions(found.actions);
      setFacts(found.facts);
      setPasted("");
    } catch (e) {
      setError((e as Error).message);
    }
  };
  const players = Number(options.players) || game.players;
  return (
    <main class="page">
      <header class="head"><a class="icon-button" href="#/" aria-label={common("Back to the games")}>‹</a><h1>{common("Analyse")}</h1></header>
      <div class="columns">
        <form class="box form" onSubmit={(e) => { e.preventDefault(); void go(); }}>
          <label>{common("Paste a position")}<input id="position" value={pasted} placeholder="make_game('…').view_from(…)" onInput={(e) => void paste(e.currentTarget.value)} /></label>
          <label>{common("Games")}<select value={game.name} onChange={(e) => choose(e.currentTarget.value)} id="game">{games.map((each) => <option key={each.name} value={each.name}>{translator(language, each)(each.title)}</option>)}</select></label>
          <label>{common("seat")}<select id="player" value={player} onChange={(e) => setPlayer(e.currentTarget.value)}>{Array.from({ length: players }, (_, i) => <option key={i} value={i}>{i + 1}</option>)}</select></label>
          <OptionList key={game.name} game={game} options={options} change={setOptions} t={t} />
          <label>{common("Hand")}<input id="hand" value={hand} onInput={(e) => setHand(e.currentTarget.value)} /></label>
          <label>{common("Actions so far")}<textarea id="actions" rows={3} value={actions} onInput={(e) => setActions(e.currentTarget.value)} /></label>
          <label>{common("What is known besides")}<textarea id="facts" rows={3} placeholder={game.facts.map((fact) => `${fact}=`).join("\n")} value={facts} onInput={(e) => setFacts(e.currentTarget.value)} /></label>
          {error ? <p class="error" role="alert">{error}</p> : null}
          <button type="submit" class="primary" id="go">{common("Analyse")}</button>
        </form>
        {position ? <div class="box"><HintPanel hint={hint} game={game} t={t} use={() => {}} again={(by) => void go(by)} /><ChancesPanel chances={chances} holders={[]} own={-9} game={game} t={t} /></div> : null}
      </div>
      {position ? <div class="inline-felt"><Felt position={position} holders={[]} own={Number(player)} game={game} t={t}><div class="mine"><Fan cards={position.rows.find((row) => row.seat === Number(player))?.cards ?? []} game={game} t={t} /></div></Felt></div> : null}
    </main>
  );
}
