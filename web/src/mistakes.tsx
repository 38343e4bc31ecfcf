// What a play has cost: a mark beside the move.

import type { Translate } from "./strings";
import { gapText } from "./turns";
import type { Judged, ReplayData } from "./types";

export function Verdict({ judged, unit, t }: { judged: Judged; unit: ReplayData["unit"]; t: Translate }) {
  const play = judged.play!;
  if (play.verdict === "good") return <span class="verdict good">✓</span>;
  const interval = play.low === null || play.high === null ? "" : ` (${play.low.toFixed(2)} … ${play.high.toFixed(2)})`;
  const text = `${play.cost.toFixed(2)}${interval}`;
  return <span class={`verdict ${play.verdict}`} title={`${t(play.best!.text)}: ${text}`}>{play.verdict === "mistake" ? `✗ ${t(play.best!.text)} −${gapText(play.cost, unit, t)}` : t("unclear")}</span>;
}
