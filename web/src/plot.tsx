// Curves with axes, for all quantities that change with time.

export const COLOURS = ["#f2c14e", "#6fb1fc", "#ff8f7d", "#7fdca4", "#c9a2ff", "#e8e8e8"];

export interface Line { name: string; points: [number, number][]; low?: [number, number][]; high?: [number, number][] }

const WIDTH = 400;
const HEIGHT = 150;
const LEFT = 46;
const BOTTOM = 18;

const ROUNDING = 1e-12; // smaller numbers are what rounding leaves of zero

export const short = (value: number): string => {
  const size = Math.abs(value);
  if (size < ROUNDING) return "0";
  if (size >= 1e6 || size < 1e-3) return value.toExponential(0);
  return size >= 1000 ? `${Math.round(value / 100) / 10}k` : String(Number(value.toPrecision(3)));
};

export function Plot({ lines, label, x: xName, logX, logY }: { lines: Line[]; label: string; x: string; logX?: boolean; logY?: boolean }) {
  const ok = ([x, y]: [number, number]) => Number.isFinite(x) && Number.isFinite(y) && (!logX || x > 0) && (!logY || y > 0);
  const all = lines.flatMap((line) => [...line.points, ...(line.low ?? []), ...(line.high ?? [])]).filter(ok);
  if (!all.length) return null;
  const scale = (log: boolean | undefined, values: number[], from: number, to: number) => {
    const f = log ? Math.log10 : (v: number) => v;
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const span = f(high) - f(low);
    return { at: (v: number) => (span ? from + ((to - from) * (f(v) - f(low))) / span : (from + to) / 2), low, high };
  };
  const x = scale(logX, all.map((p) => p[0]), LEFT, WIDTH - 6);
  const y = scale(logY, all.map((p) => p[1]), HEIGHT - BOTTOM, 8);
  const path = (points: [number, number][]) => points.filter(ok).map(([a, b]) => `${x.at(a).toFixed(1)} ${y.at(b).toFixed(1)}`);
  const last = (line: Line) => line.points[line.points.length - 1];
  return (
    <figure class="plot">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${label}: ${lines.map((line) => `${line.name} ${short(last(line)?.[1] ?? 0)}`).join(", ")}`}>
        <path class="axes" d={`M${LEFT} 4V${HEIGHT - BOTTOM}H${WIDTH - 4}`} />
        <text x={LEFT - 4} y="14" text-anchor="end">{short(y.high)}</text>
        <text x={LEFT - 4} y={HEIGHT - BOTTOM} text-anchor="end">{short(y.low)}</text>
        <text x={LEFT} y={HEIGHT - 4}>{short(x.low)}</text>
        <text x={WIDTH - 4} y={HEIGHT - 4} text-anchor="end">{short(x.high)} {xName}</text>
        {lines.map((line, k) => (
          <g key={line.name} class={`line-${k % 6}`}>
            {line.low && line.high ? <path class="band" d={`M${path(line.high).join("L")}L${path(line.low).reverse().join("L")}Z`} /> : null}
            <path class="curve-line" d={`M${path(line.points).join("L")}`} />
            {line.points.filter(ok).slice(-1).map((p) => <circle key="last" cx={x.at(p[0])} cy={y.at(p[1])} r="2.500" />)}
          </g>
        ))}
      </svg>
      <figcaption>{label}: {lines.map((line, k) => <span key={line.name}><i class={`dot dot-${k % 6}`} />{line.name} <b>{last(line) ? short(last(line)[1]) : ""}</b></span>)}</figcaption>
    </figure>
  );
}
