// The turning points of a game: where its expected result changed by more than chance explains.

import type { Translate } from "./strings";
import type { Judged, ReplayData } from "./types";

const LEAST_SHARE = 0.12; // of the range of the curve, for a turn

export interface Turn {
  ply: number;
  before: number; // expected result of the player who made the move, before and after it
  after: number;
  isTurn: boolean; // whether the curve changed
  judged: Judged;
}

const percent = (value: number) => `${(50 * (value + 1)).toFixed(0)} %`;

// A value on the axis: the chance to win where payoffs are 1 and -1, else points.
export const valueText = (value: number, unit: ReplayData["unit"]) => (unit === "chance" ? percent(value) : `${value > 0 ? "+" : ""}${Number(value.toFixed(2))}`);

export const gapText = (value: number, unit: ReplayData["unit"], t: Translate) => (unit === "chance" ? `${(50 * value).toFixed(0)} %` : `${value.toFixed(2)} ${t("points")}`);

// The mistakes, and the moves at which the curve turned, in their order.
export function turnsOf(judged: Map<number, Judged>, data: ReplayData): Turn[] {
  const values = [...judged.values()].flatMap((each) => each.values ?? []).map(([mean]) => mean);
  const range = Math.max(...values) - Math.min(...values);
  const found: Turn[] = [];
  data.moves.forEach((move, ply) => {
    const [one, next] = [judged.get(ply), judged.get(ply + 1)];
    if (!one?.play || !one.values || !next?.values) return;
    const [before, wide] = one.values[move.player];
    const [after, narrow] = next.values[move.player];
    const gap = Math.abs(after - before);
    const isTurn = gap > Math.hypot(wide, narrow) && gap > LEAST_SHARE * range;
    if (isTurn || one.play.verdict === "mistake") found.push({ ply, before, after, isTurn, judged: one });
  });
  return found;
}

const fill = (text: string, ...values: string[]) => values.reduce((found, value) => found.replace("{}", value), text);

// One sentence about a turning point, which agrees with the curve.
export function sentence(turn: Turn, data: ReplayData, t: Translate): string {
  const { before, after, isTurn, judged: { play } } = turn;
  const made = t(data.moves[turn.ply].text);
  const change = fill(t("{} to {}"), valueText(before, data.unit), valueText(after, data.unit));
  const best = play!.best ? t(play!.best.text) : "";
  if (play!.verdict === "mistake") {
    const lost = fill(t("{} loses {}: {} does better with the cards that could be expected."), made, gapText(play!.cost, data.unit, t), best);
    const effect = !isTurn ? t("With these cards the game did not turn.") : after < before ? fill(t("Here the game turned, {}."), change) : fill(t("With these cards it gained all the same, {}."), change);
    return `${lost} ${effect}`;
  }
  if (play!.verdict === "unclear") {
    return fill(t("The game turned, {}. {} may be better than {} by {}, but {} simulations do not tell them apart."), change, best, made, gapText(play!.cost, data.unit, t), String(play!.number));
  }
  return fill(t("The game turned, {}, by the cards: nothing better than {} could be known."), change, made);
}
