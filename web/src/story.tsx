// The story of a judged game: its mistakes and turning points, one sentence each.

import { useMemo } from "preact/hooks";
import type { Translate } from "./strings";
import { sentence, turnsOf } from "./turns";
import type { Judged, ReplayData } from "./types";

export function Story({ judged, data, name, ply, setPly, t }: {
  judged: Map<number, Judged>;
  data: ReplayData;
  name: (seat: number) => string;
  ply: number;
  setPly: (ply: number) => void;
  t: Translate;
}) {
  const turns = useMemo(() => turnsOf(judged, data), [judged, data]);
  if (!turns.length) return null;
  return (
    <section class="story" aria-label={t("Turning points")}>
      <h2>{t("Turning points")}</h2>
      <ol>{turns.map((turn) => (
        <li key={turn.ply}><button type="button" class={`turning ${turn.judged.play!.verdict}`} data-ply={turn.ply} aria-pressed={turn.ply === ply} onClick={() => setPly(turn.ply)}>
          <b>{turn.ply + 1}. {name(data.moves[turn.ply].player)}</b> {sentence(turn, data, t)}
        </button></li>
      ))}</ol>
    </section>
  );
}
