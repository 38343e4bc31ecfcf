// The expected result of a judged game, move by move.

import { type JudgedProps, turnsOf, valueText } from "./turns";
import type { Judged } from "./types";

const COLOURS = ["#f2c14e", "#6fb1fc", "#ff8f7d", "#7fdca4", "#c9a2ff"];
const WIDTH = 400;
const HEIGHT = 100;
const MARGIN = 4; // above and below the curve

export function Curve({ judged, data, name, ply, setPly, t }: JudgedProps) {
  const points = [...judged.values()].filter((each) => each.values).sort((a, b) => a.ply - b.ply);
  if (!points.length) return null;
  const all = points.flatMap((each) => each.values!.flatMap(([mean, half]) => [mean - half, mean + half]));
  const [low, high] = data.unit === "chance" ? [-1, 1] : [Math.min(...all), Math.max(...all)];
  const x = (at: number) => (WIDTH * at) / Math.max(1, data.moves.length);
  const y = (value: number) => HEIGHT - MARGIN - ((HEIGHT - 2 * MARGIN) * (Math.min(high, Math.max(low, value)) - low)) / Math.max(1e-9, high - low);
  const seats = [...Array(data.players).keys()].filter((seat) => data.sides.indexOf(data.sides[seat]) === seat);
  const unit = t(data.unit === "chance" ? "chance to win" : "Expected points");
  const place = (each: Judged) => `M${x(each.ply)} ${y(each.values![data.moves[each.ply].player][0])}h.01`;
  return (
    <figure class="curve">
      <div class="plotted">
        <span class="axis" aria-hidden="true"><i>{valueText(high, data.unit)}</i><i>{valueText((low + high) / 2, data.unit)}</i><i>{valueText(low, data.unit)}</i></span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={unit}
          onClick={(e) => { const box = e.currentTarget.getBoundingClientRect(); setPly(Math.round(((e.clientX - box.left) / box.width) * data.moves.length)); }}>
          <line class="zero" x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
          <line class="now" x1={x(ply)} x2={x(ply)} y1="0" y2={HEIGHT} />
          {seats.map((seat, k) => (
            <g key={seat} stroke={COLOURS[k % COLOURS.length]} fill={COLOURS[k % COLOURS.length]}>
              <path class="band" d={`M${points.map((p) => `${x(p.ply)} ${y(p.values![seat][0] + p.values![seat][1])}`).join("L")}L${[...points].reverse().map((p) => `${x(p.ply)} ${y(p.values![seat][0] - p.values![seat][1])}`).join("L")}Z`} />
              <path class="line" d={`M${points.map((p) => `${x(p.ply)} ${y(p.values![seat][0])}`).join("L")}`} />
            </g>
          ))}
          {turnsOf(judged, data).map((turn) => <path key={turn.ply} class={turn.judged.play!.verdict === "mistake" ? "wrong" : "turned"} d={place(turn.judged)} />)}
        </svg>
      </div>
      <figcaption>{unit}: {seats.map((seat, k) => <span key={seat}><i class={`dot dot-${k % COLOURS.length}`} />{name(seat)}</span>)}</figcaption>
    </figure>
  );
}
