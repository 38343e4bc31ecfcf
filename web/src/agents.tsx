// The agents of a game with time and strength.

import { Scroll } from "./scroll";
import type { Translate } from "./strings";
import type { Agent } from "./types";

export function cost(microseconds: number | null): string {
  if (microseconds === null) return "";
  if (microseconds < 1000) return ` · ${microseconds} µs`;
  return microseconds < 1e6 ? ` · ${Math.round(microseconds / 1000)} ms` : ` · ${microseconds / 1e6} s`;
}

export type Estimate = [number, number | null, number | null]; // a mean, and the ends of its interval

// An estimate in a column whose values are from `low` to `high`.
export function Interval({ estimate: [mean, from, to], low, high }: { estimate: Estimate; low: number; high: number }) {
  const x = (value: number) => 2 + (96 * (value - low)) / Math.max(1e-9, high - low);
  return (
    <svg class="interval" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <line x1={x(from ?? mean)} x2={x(to ?? mean)} y1="5" y2="5" /><path class="dot-mark" d={`M${x(mean)} 5h.01`} />
    </svg>
  );
}

const points = (value: number) => `${value > 0 ? "+" : ""}${Number(value.toPrecision(2))}`;

// The agents of a game, the strongest first, with time per decision and strength.
export function Agents({ agents, t }: { agents: Agent[]; t: Translate }) {
  const measured = agents.filter((agent) => agent.strength).sort((a, b) => b.strength!.points[0] - a.strength!.points[0]);
  if (!measured.length) return null;
  const others = agents.filter((agent) => !agent.strength);
  const low = Math.min(...measured.map((agent) => agent.strength!.points[1]));
  const high = Math.max(...measured.map((agent) => agent.strength!.points[2]));
  return (
    <details class="agents">
      <summary>{t("Agents")}</summary>
      <Scroll label={t("Agents")}><table>
        <thead><tr><th>{t("agent")}</th><th>{t("a decision")}</th><th>{t("points against")} {measured[0].strength!.against}{measured[0].strength!.rounds > 1 ? <small>{t("a round, in matches of")} {measured[0].strength!.rounds}</small> : null}</th><th /><th>{t("win rate")}</th></tr></thead>
        <tbody>
          {measured.map((agent) => {
            const [mean, from, to] = agent.strength!.points;
            return (
              <tr key={agent.text} data-agent={agent.text}>
                <th>{agent.text}</th><td>{cost(agent.microseconds).slice(3)}</td>
                <td>{points(mean)} <small class="inline">({points(from)} … {points(to)})</small></td>
                <td class="wide"><Interval estimate={agent.strength!.points} low={low} high={high} /></td>
                <td>{agent.strength!.won ? `${(100 * agent.strength!.won[0]).toFixed(1)} %` : ""}</td>
              </tr>
            );
          })}
          {others.map((agent) => <tr key={agent.text}><th>{agent.text}</th><td>{cost(agent.microseconds).slice(3)}</td><td>{agent.clocked ? t("depends on the clock") : ""}</td><td /><td /></tr>)}
        </tbody>
      </table></Scroll>
    </details>
  );
}
