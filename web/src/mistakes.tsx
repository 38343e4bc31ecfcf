// What plays have cost: a verdict for each, and the curve of the values.

import { signed } from "./outcome";
import type { Translate } from "./strings";
import type { Judged, ReplayData } from "./types";

export function Verdict({ judged, t }: { judged: Judged; t: Translate }) {
  const play = judged.play!;
  if (play.verdict === "good") return <span class="verdict good">✓</span>;
  const interval = play.low === null || play.high === null ? "" : ` (${play.low.toFixed(2)} … ${play.high.toFixed(2)})`;
  const text = `${play.cost.toFixed(2)}${interval}`;
  return <span class={`verdict ${play.verdict}`} title={`${t(play.best!.text)}: ${text}`}>{play.verdict === "mistake" ? `✗ ${t(play.best!.text)} −${play.cost.toFixed(2)}` : t("unclear")}</span>;
}

const COLOURS = ["#f2c14e", "#6fb1fc", "#ff8f7d", "#7fdca4", "#c9a2ff"];

export function Curve({ judged, data, ply, setPly, t }: { judged: Map<number, Judged>; data: ReplayData; ply: number; setPly: (ply: number) => void; t: Translate }) {
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
      <figcaption>{seats.map((seat, k) => <span key={seat}><i class={`dot dot-${k % 5}`} />{data.agents[seat] || `${t("seat")} ${seat + 1}`}</span>)} {t("Expected points")}: {signed(low)} … {signed(high)}</figcaption>
    </figure>
  );
}
