// Results in a folder of runs, live: matches and leagues, ladders, trainings and solvers.

import { useEffect, useState } from "preact/hooks";
import { useReturns, useShared } from "./context";
import { cost, type Estimate, Interval } from "./agents";
import { Plot, type Line } from "./plot";
import { Scroll } from "./scroll";
import type { Translate } from "./strings";

interface Result {
  file: string;
  live: boolean;
  game: string;
  deals: number | null;
  agents: string[];
  rows: { agent: string; role: string; points: Estimate; columns: Record<string, Estimate> }[];
  gap: Estimate | null;
}
interface Ladder {
  file: string;
  game: string;
  deals: number[];
  agents: { agent: string; elo: Estimate; win_rate: number | null; microseconds: number | null }[];
}
interface Curve {
  file: string;
  live: boolean;
  game?: string;
  algorithm?: string;
  axis: string;
  lines: Record<string, [number, number, number | null, number | null][]>;
  seconds: number | null;
}
interface Everything { results: Result[]; ladders: Ladder[]; curves: Curve[] }

const shown = ([mean, low, high]: Estimate, digits = 3) => `${mean.toFixed(digits)}${low !== null && high !== null ? ` (${low.toFixed(digits)} … ${high.toFixed(digits)})` : ""}`;

function ends(estimates: Estimate[], zero: boolean): [number, number] {
  const all = estimates.flat().filter((value): value is number => value !== null);
  if (zero) all.push(0);
  return [Math.min(...all), Math.max(...all)];
}

export function RunsPage() {
  const { net, t } = useShared();
  const [found, setFound] = useState<Everything | null>(null);
  const returns = useReturns();
  useEffect(() => {
    const look = () => {
      if (!net.online) return; // requests that wait would all be sent when the connection returns
      void net.ask("runs").then(setFound, () => setFound((before) => before ?? { results: [], ladders: [], curves: [] }));
    };
    look();
    const clock = setInterval(look, 5000);
    return () => clearInterval(clock);
  }, [returns]);
  const isEmpty = found && !found.results.length && !found.ladders.length && !found.curves.length;
  return (
    <main class="page">
      <header class="head"><a class="icon-button" href="#/" aria-label={t("Back to the games")}>‹</a><h1>{t("Runs")}</h1></header>
      {isEmpty ? <p>{t("no results in the folder yet")}</p> : null}
      {found?.curves.length ? <Curves curves={found.curves} t={t} /> : null}
      {(found?.ladders ?? []).map((ladder) => <LadderTable key={`${ladder.file} ${ladder.game}`} ladder={ladder} t={t} />)}
      {(found?.results ?? []).map((result, i) => <ResultTable key={`${result.file} ${i}`} result={result} t={t} />)}
    </main>
  );
}

const LOGARITHMIC = /nash_conv|exploitability/;
// Quantities that a curve shows first, if it has them: strength before losses.
const FIRST = ["nash_conv", "points", "gained", "won", "win_rate", "accuracy", "loss"];
const place = (name: string) => {
  const found = FIRST.findIndex((each) => name.includes(each));
  return found < 0 ? FIRST.length : found;
};

// Every quantity of the histories, with a line for each run that has it.
function Curves({ curves, t }: { curves: Curve[]; t: Translate }) {
  const names = [...new Set(curves.flatMap((curve) => Object.keys(curve.lines)))].sort((a, b) => place(a) - place(b));
  const games = [...new Set(curves.map((curve) => curve.game ?? ""))];
  const [game, setGame] = useState<string | null>(null);
  const [name, setName] = useState<string | null>(null);
  const chosenGame = game !== null && games.includes(game) ? game : games[0];
  const own = curves.filter((curve) => (curve.game ?? "") === chosenGame);
  const known = names.filter((each) => own.some((curve) => each in curve.lines));
  const chosen = name !== null && known.includes(name) ? name : known[0];
  const drawn = own.filter((curve) => chosen in curve.lines);
  const axes = [...new Set(drawn.map((curve) => curve.axis))];
  return (
    <section class="box run curves">
      <h2>{t("Trainings")}</h2>
      <div class="row">
        {games.length > 1 ? <select aria-label={t("Games")} value={chosenGame} onChange={(e) => setGame(e.currentTarget.value)}>{games.map((each) => <option key={each} value={each}>{each || "…"}</option>)}</select> : null}
        <select id="measure" aria-label={t("Value")} value={chosen} onChange={(e) => setName(e.currentTarget.value)}>{known.map((each) => <option key={each}>{each}</option>)}</select>
      </div>
      {axes.map((axis) => {
        const lines: Line[] = drawn.filter((curve) => curve.axis === axis).map((curve) => {
          const points = curve.lines[chosen];
          const hasEnds = points.every((point) => point[2] !== null && point[3] !== null);
          return {
            name: [curve.algorithm, curve.file.replace(/\/?[^/]*$/, "")].filter(Boolean).join(" · ") || curve.file,
            points: points.map((point) => [point[0], point[1]]),
            ...(hasEnds ? { low: points.map((point) => [point[0], point[2]!]), high: points.map((point) => [point[0], point[3]!]) } : {}),
          };
        });
        const isLog = LOGARITHMIC.test(chosen);
        return <Plot key={axis} lines={lines} label={chosen} x={t(axis)} logX={isLog} logY={isLog} />;
      })}
      <ul class="under-way">{own.map((curve) => (
        <li key={`${curve.file} ${curve.algorithm}`}>{curve.live ? <span class="live">● {t("under way")}</span> : null} {[curve.algorithm, curve.file].filter(Boolean).join(" · ")}{curve.seconds ? <small> {Math.round(curve.seconds)} s</small> : null}</li>
      ))}</ul>
    </section>
  );
}

function LadderTable({ ladder, t }: { ladder: Ladder; t: Translate }) {
  const [low, high] = ends(ladder.agents.map((row) => row.elo), false);
  return (
    <section class="box run ladder">
      <h2>{t("Ladder")}: {ladder.game} <small>{ladder.file} · {ladder.deals.map((deals) => deals.toLocaleString("en")).join(" / ")} {t("deals")}</small></h2>
      <Scroll label={t("Ladder")}><table>
        <thead><tr><th>{t("agent")}</th><th>Elo</th><th /><th>{t("win rate")}</th><th>{t("a decision")}</th></tr></thead>
        <tbody>{ladder.agents.map((row) => (
          <tr key={row.agent}><th>{row.agent}</th><td>{shown(row.elo, 0)}</td><td class="wide"><Interval estimate={row.elo} low={low} high={high} /></td>
            <td>{row.win_rate === null ? "" : `${(100 * row.win_rate).toFixed(1)} %`}</td><td>{row.microseconds === null ? "" : cost(Math.round(row.microseconds * 10) / 10).slice(3)}</td></tr>
        ))}</tbody>
      </table></Scroll>
    </section>
  );
}

// The columns are those of the command; the picture is that of the last one.
function ResultTable({ result, t }: { result: Result; t: Translate }) {
  const names = Object.keys(result.rows[0]?.columns ?? {});
  const drawn = (row: Result["rows"][number]) => row.columns[names[names.length - 1]] ?? row.points;
  const [low, high] = ends(result.rows.map(drawn), true);
  return (
    <section class="box run">
      <h2>{result.game} <small>{result.file}{result.deals === null ? null : ` · ${result.deals.toLocaleString("en")} ${t("deals")}`}{result.live ? <span class="live"> ● {t("under way")}</span> : null}</small></h2>
      <Scroll label={result.game}><table>
        <thead><tr><th>{t("agent")}</th><th />{names.map((name) => <th key={name}>{t(name)}</th>)}<th /></tr></thead>
        <tbody>{result.rows.map((row, k) => (
          <tr key={k}><th>{row.agent}</th><td>{t(row.role)}</td>{names.map((name) => <td key={name}>{row.columns[name] ? shown(row.columns[name]) : ""}</td>)}
            <td class="wide"><Interval estimate={drawn(row)} low={low} high={high} /></td></tr>
        ))}</tbody>
      </table></Scroll>
      {result.gap ? <p>{result.agents[0]} − {result.agents[1]}: <b>{shown(result.gap)}</b></p> : null}
    </section>
  );
}
