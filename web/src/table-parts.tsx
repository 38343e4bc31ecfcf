// Smaller pieces of the table: its bar, a sorted hand, the review, and the clock of agents.

import { useShared } from "./context";
import { useSwitch } from "./effects";
import { Fan, groups } from "./fan";
import type { Sender } from "./pending";
import type { Translate } from "./strings";
import type { Game, Table } from "./types";

export type Panel = "" | "list" | "hint" | "chances" | "moves" | "score" | "links" | "rules";

export function PanelButton({ name, label, open, toggle, t }: { name: Panel; label: string; open: Panel; toggle: (name: Panel) => void; t: Translate }) {
  return <button type="button" data-panel={name} onClick={() => toggle(name)} aria-expanded={open === name}>{t(label)}</button>;
}

// Sound and motion, on or off.
export function EffectsButton({ t }: { t: Translate }) {
  const [on, change] = useSwitch();
  return <button type="button" id="effects" aria-pressed={on} aria-label={t("Sound and motion")} title={t("Sound and motion")} onClick={change}>♪</button>;
}

export function Parts({ cards, note, game, t }: { cards: string[]; note: string; game: Game; t: Translate }) {
  return <div class="board own-board">{groups(cards).map((part, i) => <Fan key={i} cards={part} game={game} t={t} use="row" />)}<p class="note">{note}</p></div>;
}

export function ReviewButton({ t }: { t: Translate }) {
  const { net } = useShared();
  if (!net.owner) return null;
  return <button type="button" id="review" onClick={async () => {
    const record = await net.ask("record").catch(() => null);
    if (record) location.hash = `#/replay/${encodeURIComponent(record)}`;
  }}>{t("Review this hand")}</button>;
}

const PACE = 0.7;
const SLOWEST_STEP = 4; // places of the slider, half a second each
const FASTEST = 0.05;

export function Clock({ table, t, ask }: { table: Table; t: Translate; ask: Sender["ask"] }) {
  const running = table.pace > 0;
  return (
    <>
      <button type="button" id="pause" class="primary" onClick={() => void ask("pace", { seconds: running ? 0 : PACE })}>{t(running ? "Pause" : "Go on")}</button>
      {running ? null : <button type="button" id="step" onClick={() => void ask("step")}>{t("Step")}</button>}
      <label class="speed">{t("Speed")} <input type="range" min="0" max={SLOWEST_STEP} step="1" value={Math.round(SLOWEST_STEP - Math.min(SLOWEST_STEP, table.pace / 0.5))}
        onChange={(e) => void ask("pace", { seconds: Math.max(FASTEST, (SLOWEST_STEP - Number(e.currentTarget.value)) * 0.5) })} /></label>
    </>
  );
}
