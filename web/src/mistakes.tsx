// What a play has cost: a mark beside the move.

import type { Translate } from "./strings";
import { gapNumber, gapText } from "./turns";
import type { Judged, Unit } from "./types";

export function Verdict({ judged, unit, t }: { judged: Judged; unit: Unit; t: Translate }) {
  const play = judged.play!;
  if (play.verdict === "good") return <span class="verdict good">✓</span>;
  const interval = play.low === null || play.high === null ? "" : ` (${gapNumber(play.low, unit)} … ${gapNumber(play.high, unit)})`;
  const text = `${gapText(play.cost, unit, t)}${interval}`;
  return <span class={`verdict ${play.verdict}`} title={`${t(play.best!.text)}: ${text}`}>{play.verdict === "mistake" ? `✗ ${t(play.best!.text)} −${gapText(play.cost, unit, t)}` : t("unclear")}</span>;
}
