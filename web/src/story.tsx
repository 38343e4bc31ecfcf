// The story of a judged game: its mistakes, its turning points and what was forced, one sentence each.

import { useMemo } from "preact/hooks";
import { decisionsOf, type JudgedProps, sentence, turnsOf, verdictOn } from "./turns";

export function Story({ judged, data, name, ply, setPly, t }: JudgedProps) {
  const lines = useMemo(() => [
    ...turnsOf(judged, data).map((turn) => ({ ply: turn.ply, kind: turn.judged.play!.verdict, text: sentence(turn, data, t) })),
    // The move that gives a win away is the one before.
    ...decisionsOf(judged).map((each) => ({ ply: each.lost?.winners.length ? each.ply - 1 : each.ply, kind: "forced", text: verdictOn(each, data, name, t) })),
  ].sort((a, b) => a.ply - b.ply), [judged, data, t]);
  if (!lines.length) return null;
  return (
    <section class="story" aria-label={t("Turning points")}>
      <h2>{t("Turning points")}</h2>
      <ol>{lines.map((line, i) => (
        <li key={i}><button type="button" class={`turning ${line.kind}`} data-ply={line.ply} aria-pressed={line.ply === ply} onClick={() => setPly(line.ply)}>
          <b>{line.ply + 1}. {name(data.moves[line.ply].player)}</b> {line.text}
        </button></li>
      ))}</ol>
    </section>
  );
}
