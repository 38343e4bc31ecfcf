// A small game: its public graph with a strategy, the losses of the strategy, and solvers.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Card } from "./cards";
import { useAgents, useReturns, useShared } from "./context";
import { base64 } from "./files";
import { Offline } from "./net";
import { OptionList, type Options } from "./options";
import { fixed } from "./outcome";
import { Plot, short } from "./plot";
import { Scroll } from "./scroll";
import { translator, type Translate } from "./strings";
import type { Game } from "./types";

interface Judged {
  name: string;
  value: number;
  best_responses: Record<string, number>;
  nash_conv: number;
  exploitability: number;
  flow: number[];
  losses: number[];
  end_flow: number[];
  end_payoffs: number[][];
}
interface State { parent: number; player: number; action: string; shown: string[] }
interface Graph extends Judged {
  size: Record<string, number>;
  labels: string[];
  algorithms: Record<string, string>;
  states: State[];
  ends: { parent: number; action: string }[];
}
interface InfoSet { cards: string[]; actions: string[]; reached: number; shares: number[]; values: (number | null)[]; best: number; loss: number }
interface At {
  state: number;
  player: number;
  path: number[];
  shown: string[];
  actions: string[];
  children: Record<string, { state: number; shown: string[] }[]>;
  sets: InfoSet[];
}

export function SolvePage() {
  const { net, games, language, t: common } = useShared();
  const [name, setName] = useState(() => localStorage.getItem("small") ?? games.find((each) => each.name.includes("leduc"))?.name ?? games[0].name);
  const game: Game = games.find((each) => each.name === name) ?? games[0];
  const t = useMemo(() => translator(language, game), [language, game]);
  const agents = useAgents(game);
  const [options, setOptions] = useState<Options>({});
  const [graph, setGraph] = useState<Graph | null>(null);
  const [judged, setJudged] = useState<Judged | null>(null);
  const [at, setAt] = useState<At | null>(null);
  const [by, setBy] = useState("");
  const [algorithm, setAlgorithm] = useState("cfr+");
  const [solving, setSolving] = useState(false);
  const [curve, setCurve] = useState<[number, number][]>([]);
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const chosen = useRef(0);
  const opened = useRef<{ game: string; options: Options } | null>(null); // what the graph is of, for the next connection
  const returns = useReturns();
  // A lost connection is shown elsewhere, and what the server then forgets is opened again.
  const fail = (e: Error) => { if (!(e instanceof Offline)) setError(e.message); };

  const look = (state: number) => {
    chosen.current = state;
    return net.ask("public", { state }).then((found) => { if (chosen.current === state) setAt(found); }, fail);
  };
  const report = async (work: () => Promise<void>) => {
    setError("");
    setBusy(true);
    await work().catch(fail);
    setBusy(false);
  };
  const open = (given: { game: string; options: Options }) => report(async () => {
    localStorage.setItem("small", given.game);
    opened.current = given;
    setGraph(null);
    setAt(null);
    setCurve([]);
    setSolving(false);
    const found: Graph = await net.ask("small", given);
    setGraph(found);
    setJudged(found);
    setBy("");
    await look(0);
  });
  const take = (given: object) => report(async () => {
    setSolving(false);
    setJudged(await net.ask("strategy", given));
    await look(chosen.current);
  });
  const solve = () => report(async () => {
    setCurve([]);
    setSolving(true);
    await net.ask("solve", { algorithm }).catch((e: Error) => { setSolving(false); throw e; });
  });
  const stop = () => { setSolving(false); void net.ask("stop", { work: "solve" }); };

  useEffect(() => { if (returns && opened.current) void open(opened.current); }, [returns]);
  useEffect(() => {
    const off = net.on("solved", (data: Judged & { iterations: number; done?: boolean; error?: string }) => {
      if (data.error || data.done) {
        setSolving(false);
        if (data.error) setError(data.error);
        return;
      }
      setJudged(data);
      setCurve((before) => [...before, [data.iterations, data.nash_conv]]);
      void look(chosen.current);
    });
    return () => {
      off();
      void net.ask("stop", { work: "solve" }).catch(() => {});
    };
  }, []);

  return (
    <main class="page">
      <header class="head"><a class="icon-button" href="#/" aria-label={common("Back to the games")}>‹</a><h1>{common("Solve")}</h1></header>
      <form class="box form solve-form" onSubmit={(e) => { e.preventDefault(); void open({ game: game.name, options }); }}>
        <div class="row">
          <label>{common("Small games")}<select id="game" value={game.name} onChange={(e) => { setName(e.currentTarget.value); setOptions({}); setGraph(null); opened.current = null; }}>
            {games.map((each) => <option key={each.name} value={each.name}>{translator(language, each)(each.title)}</option>)}
          </select></label>
          <button type="submit" class="primary" id="look" disabled={busy}>{common("Look into it")}</button>
          {busy ? <span class="busy">…</span> : null}
        </div>
        <OptionList key={game.name} game={game} options={options} change={setOptions} />
        {error ? <p class="error" role="alert">{error}</p> : null}
      </form>
      {graph && judged ? (
        <>
          <section class="box solve-bar">
            <div class="row">
              <label>{t("Strategy")} <select id="by" value={by} onChange={(e) => { setBy(e.currentTarget.value); if (e.currentTarget.value) void take({ by: e.currentTarget.value }); }}>
                <option value="">{judged.name}</option>
                {agents.map((agent) => <option key={agent.text}>{agent.text}</option>)}
              </select></label>
              <label class="button">{t("Strategy file")}<input type="file" class="hidden" id="file" onChange={async (e) => {
                const file = e.currentTarget.files?.[0];
                setBy("");
                if (file) await take({ data: await base64(file) });
              }} /></label>
              {graph.labels.map((label, player) => <button type="button" key={label} data-respond={player} onClick={() => { setBy(""); void take({ respond: player }); }}>{t("Best response of")} {t(label)}</button>)}
              <span class="spacer" />
              <label>{t("Algorithm")} <select id="algorithm" value={algorithm} onChange={(e) => setAlgorithm(e.currentTarget.value)}>
                {Object.entries(graph.algorithms).map(([each, guarantee]) => <option key={each} title={guarantee}>{each}</option>)}
              </select></label>
              {solving ? <button type="button" id="stop" class="primary" onClick={stop}>{t("Stop")}</button>
                : <button type="button" id="solve" class="primary" onClick={() => { setBy(""); void solve(); }}>{t("Solve")}</button>}
            </div>
            <dl class="judged" data-nash-conv={judged.nash_conv}>
              <div><dt>{t("Strategy")}</dt><dd>{judged.name}</dd></div>
              <div><dt>{t("value")}, {t(graph.labels[0])}</dt><dd>{fixed(judged.value, 4)}</dd></div>
              {graph.labels.map((label) => <div key={label}><dt>{t("best response")}, {t(label)}</dt><dd>{fixed(judged.best_responses[label], 4)}</dd></div>)}
              <div><dt>NashConv</dt><dd><b id="nash-conv">{short(judged.nash_conv)}</b></dd></div>
            </dl>
            {curve.length ? <Plot lines={[{ name: judged.name, points: curve }]} label="NashConv" x={t("iterations")} logX logY /> : null}
            <p><small>{graph.size.information_sets} {t("information sets")}, {graph.size.nodes} {t("histories")}</small></p>
          </section>
          <section class="box">
            <Picture graph={graph} judged={judged} at={at} look={(state) => void look(state)} game={game} t={t} />
            {at ? <Here graph={graph} at={at} look={(state) => void look(state)} game={game} t={t} /> : null}
          </section>
        </>
      ) : null}
    </main>
  );
}

interface Place { x: number; y: number }
const STEP = 118;
const ROW = 26;
const PAD = 70;

// The states of the picture. Of several outcomes of chance only one is drawn: the one on the way to the
// chosen state, else the first.
function visible(graph: Graph, at: At | null): Set<number> {
  const path = new Set(at?.path ?? [0]);
  const shown = new Set<number>();
  const taken = new Map<string, number>();
  graph.states.forEach((state, i) => {
    const key = `${state.parent} ${state.action}`;
    if (state.action && (path.has(i) || !taken.has(key))) taken.set(key, i);
  });
  graph.states.forEach((state, i) => {
    const isOne = !state.action || taken.get(`${state.parent} ${state.action}`) === i;
    if (state.parent < 0 ? path.has(i) || i === 0 : shown.has(state.parent) && isOne) shown.add(i);
  });
  return shown;
}

function Picture({ graph, judged, at, look, game, t }: { graph: Graph; judged: Judged; at: At | null; look: (state: number) => void; game: Game; t: Translate }) {
  const shown = visible(graph, at);
  const below = new Map<number, ({ state: number } | { end: number })[]>();
  graph.states.forEach((state, i) => { if (shown.has(i) && state.parent >= 0) below.set(state.parent, [...(below.get(state.parent) ?? []), { state: i }]); });
  graph.ends.forEach((end, i) => { if (shown.has(end.parent)) below.set(end.parent, [...(below.get(end.parent) ?? []), { end: i }]); });
  const places = new Map<string, Place>();
  let rows = 0;
  let depth = 0;
  const put = (state: number, level: number): number => {
    depth = Math.max(depth, level);
    const ys = (below.get(state) ?? []).map((each) => {
      if ("state" in each) return put(each.state, level + 1);
      depth = Math.max(depth, level + 1);
      const y = ROW * (rows++ + 0.5);
      places.set(`end ${each.end}`, { x: PAD + STEP * (level + 1), y });
      return y;
    });
    const y = ys.length ? (Math.min(...ys) + Math.max(...ys)) / 2 : ROW * (rows++ + 0.5);
    places.set(`${state}`, { x: PAD + STEP * level, y });
    return y;
  };
  const root = [...shown].find((i) => graph.states[i].parent < 0) ?? 0;
  put(root, 0);
  const most = Math.max(...judged.losses, 1e-9);
  const edge = (from: number, key: string, text: string, share: number) => {
    const [a, b] = [places.get(`${from}`), places.get(key)];
    if (!a || !b) return null;
    const middle = (a.x + b.x) / 2;
    return (
      <g key={key} class="edge">
        <path d={`M${a.x} ${a.y}C${middle} ${a.y} ${middle} ${b.y} ${b.x} ${b.y}`} stroke-width={0.6 + 7 * share} />
        <text x={b.x - 14} y={b.y - 5} text-anchor="end">{t(text)} <tspan class="share">{Math.round(100 * share)}%</tspan></text>
      </g>
    );
  };
  // The probability of an action at a state that is reached, over all outcomes of chance after it.
  const share = (parent: number, action: string) => {
    const total = graph.states.reduce((sum, s, i) => (s.parent === parent && s.action === action ? sum + judged.flow[i] : sum), 0)
      + graph.ends.reduce((sum, e, i) => (e.parent === parent && e.action === action ? sum + judged.end_flow[i] : sum), 0);
    return judged.flow[parent] > 0 ? total / judged.flow[parent] : 0;
  };
  return (
    <div class="scroll graph">
      <svg width={PAD + STEP * depth + 90} height={Math.max(1, rows) * ROW + 10} role="group" aria-label={t("Strategy")}>
        {[...shown].map((i) => graph.states[i].parent >= 0 ? edge(graph.states[i].parent, `${i}`, graph.states[i].action, share(graph.states[i].parent, graph.states[i].action)) : null)}
        {graph.ends.map((end, i) => shown.has(end.parent) ? edge(end.parent, `end ${i}`, end.action, share(end.parent, end.action)) : null)}
        {[...shown].map((i) => {
          const place = places.get(`${i}`);
          const state = graph.states[i];
          if (!place) return null;
          return (
            <a key={i} class={`node player-${state.player}${at?.state === i ? " now" : ""}`} data-state={i} role="button" tabIndex={0} href={location.hash}
              aria-label={`${state.shown.map((card) => game.faces[card] ?? card).join(" ")} ${t(graph.labels[state.player])} ${t(state.action)}: ${t("loses")} ${short(judged.losses[i])}`}
              onClick={(e) => { e.preventDefault(); look(i); }}>
              <circle class="loss" cx={place.x} cy={place.y} r={7 + 11 * Math.sqrt(Math.max(0, judged.losses[i]) / most)} />
              <circle cx={place.x} cy={place.y} r="7" />
              <text x={place.x} y={place.y + 19} text-anchor="middle">{state.shown.map((card) => game.faces[card] ?? card).join(" ")}</text>
            </a>
          );
        })}
        {graph.ends.map((_, i) => {
          const place = places.get(`end ${i}`);
          return place ? <g key={i} class="end"><rect x={place.x - 4} y={place.y - 4} width="8" height="8" /><text x={place.x + 9} y={place.y + 4}>{judged.end_flow[i] > 0 ? `${judged.end_payoffs[i][0] > 0 && short(judged.end_payoffs[i][0]) !== "0" ? "+" : ""}${short(judged.end_payoffs[i][0])}` : ""}</text></g> : null;
        })}
      </svg>
      <p class="legend"><i class="dot dot-0" />{t(graph.labels[0])} <i class="dot dot-1" />{t(graph.labels[1])} <i class="dot dot-2" />{t("loses")}</p>
    </div>
  );
}

function Here({ graph, at, look, game, t }: { graph: Graph; at: At; look: (state: number) => void; game: Game; t: Translate }) {
  const most = Math.max(...at.sets.map((set) => set.loss), 1e-12);
  const parent = at.path[at.path.length - 2];
  const own = graph.states[at.state];
  const siblings = own && parent !== undefined ? graph.states.map((state, i) => ({ ...state, i })).filter((state) => state.parent === parent && state.action === own.action) : [];
  return (
    <div class="here">
      <h2>{t(graph.labels[at.player])}: {at.path.slice(1).map((state) => graph.states[state]?.action).filter(Boolean).map((text) => t(text)).join(", ") || t("start")}</h2>
      {siblings.length > 1 ? <p class="row">{siblings.map((each) => (
        <button type="button" key={each.i} aria-pressed={each.i === at.state} data-outcome={each.i} onClick={() => look(each.i)}>{each.shown.map((card) => game.faces[card] ?? card).join(" ") || each.i}</button>
      ))}</p> : null}
      <Scroll label={t("information sets")}><table class="sets">
        <thead><tr><th>{t("Hand")}</th><th>{t("reached")}</th>{at.actions.map((action) => <th key={action}>{t(action)}</th>)}<th title={t("What the hand loses here, times how often")}>{t("loses")}</th></tr></thead>
        <tbody>{at.sets.map((set, i) => (
          <tr key={i}>
            <th><span class="mini">{set.cards.map((card, k) => <Card key={k} card={card} faces={game.faces} />)}</span></th>
            <td>{(100 * set.reached).toFixed(2)} %</td>
            {set.shares.map((share, k) => (
              <td key={k} class={set.best === k && set.loss > 1e-12 ? "best" : ""}>
                <meter min={0} max={1} value={share} aria-label={t(set.actions[k])} /> {(100 * share).toFixed(0)} %
                <small>{set.values[k] === null ? "" : `${set.values[k]! >= 0.005 ? "+" : ""}${fixed(set.values[k]!, 2)}`}</small>
              </td>
            ))}
            <td><span class="loss-bar"><i style={{ width: `${(100 * Math.max(0, set.loss)) / most}%` }} /></span> {short(Math.max(0, set.loss))}</td>
          </tr>
        ))}</tbody>
      </table></Scroll>
    </div>
  );
}
