// A coach beside the buttons: what is to beat, what could be played, and why.

import { compared } from "./comparison";
import { occupant } from "./felt";
import { fill, type Translate } from "./strings";
import { gapNumber } from "./turns";
import type { Action, Hint, Move, Table } from "./types";

const KEY = "coach";

export const isCoached = () => localStorage.getItem(KEY) === "yes";
export const setCoached = (on: boolean) => localStorage.setItem(KEY, on ? "yes" : "no");

function named(action: Action | Move, t: Translate): string {
  const text = t(action.text ?? "");
  return action.kind ? `${text} (${t(action.kind)})` : text;
}

function reason(hint: Hint, t: Translate): string {
  const found = compared(hint);
  if (!found) return hint.done ? "" : "…";
  const other = named(found.other, t);
  if (found.sure && found.less > 0) {
    return fill(t(hint.unit === "chance" ? "The next best, {}, lowers the chance to win by {} %." : "The next best, {}, gives {} points less."), other, gapNumber(found.less, hint.unit));
  }
  return fill(t("{} is about as good."), other);
}

export function Coach({ table, hint, preparing, t }: { table: Table; hint: Hint | null; preparing: string; t: Translate }) {
  const { position, seats, seat } = table;
  if (position.over) return <p class="coach">{t("The hand is over. Undo takes the last play back, and the review shows what it has cost.")}</p>;
  if (!table.asked) return <p class="coach">{t("Watch what the others play: what they pass on, they can hardly beat.")}</p>;
  const target = position.to_beat;
  const situation = position.parts.length ? t("Sort the cards into the parts, the strongest at the back.")
    : target ? fill(t("To beat: {}, by {}."), named(target, t), occupant(seats[target.player], target.player, seat, t))
    : position.legal?.some((action) => action.cards.length) ? t("You lead: any play may be made.") : t("Choose an action.");
  const mixed = (hint?.shares ?? []).filter((each) => each.share >= 0.01);
  const advice = !hint?.action ? (hint?.error ?? preparing) || "…"
    : mixed.length > 1 ? fill(t("A good player mixes: {}."), mixed.map((each) => `${t(each.text)} ${(100 * each.share).toFixed(0)} %`).join(", "))
    : position.parts.length ? fill(t("Try {}."), hint.action.text)
    : !hint.action.cards.length && target ? fill(t("Better {}: keep your cards for a play that wins more."), t(hint.action.text))
    : fill(t("Try {}: it is lifted, Play makes it."), named(hint.action, t));
  return (
    <p class="coach" role="status">{situation} {position.number > 1 ? fill(t("{} plays are possible."), String(position.number)) : ""} <b>{advice}</b> {hint?.action && mixed.length < 2 ? reason(hint, t) : ""}</p>
  );
}
