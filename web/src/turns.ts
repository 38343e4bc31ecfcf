// The turning points of a game: where its expected result changed by more than chance explains.

import { fixed } from "./outcome";
import { fill, type Translate } from "./strings";
import type { Forced, Judged, ReplayData, Unit } from "./types";

const LEAST_SHARE = 0.12; // of the range of the curve, for a turn

export interface Turn {
  ply: number;
  before: number; // expected result of the player who made the move, before and after it
  after: number;
  isTurn: boolean; // whether the curve changed
  judged: Judged;
}

// What the curve and the story of a judged game are drawn from.
export interface JudgedProps {
  judged: Map<number, Judged>;
  data: ReplayData;
  name: (seat: number) => string;
  ply: number;
  setPly: (ply: number) => void;
  t: Translate;
}

const percent = (value: number) => `${(50 * (value + 1)).toFixed(0)} %`;

// A value on the axis: the chance to win where payoffs are 1 and -1, else points.
export const valueText = (value: number, unit: Unit) => (unit === "chance" ? percent(value) : `${value > 0 ? "+" : ""}${Number(value.toFixed(2))}`);

// A difference of values: percent of the chance to win, or points.
export const gapNumber = (value: number, unit: Unit) => (unit === "chance" ? fixed(50 * value, 1) : fixed(value, 2));

export const gapText = (value: number, unit: Unit, t: Translate) => `${gapNumber(value, unit)} ${unit === "chance" ? "%" : t("points")}`;

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

const MOST_IN_LINE = 6; // plays that a sentence names

export interface Decision {
  ply: number;
  forced: Forced; // the result after the move before
  lost: Forced | null; // the other result that was forced before that move
}

const side = (forced: Forced) => forced.winners.join();

// The first position with a forced result, all hands open, and those where the forced result changed.
export function decisionsOf(judged: Map<number, Judged>): Decision[] {
  const known = [...judged.values()].filter((each) => each.forced).sort((a, b) => a.ply - b.ply);
  return known.flatMap(({ ply, forced }, i) => {
    const before = i ? known[i - 1].forced! : null;
    return before && side(before) === side(forced!) ? [] : [{ ply, forced: forced!, lost: before }];
  });
}

// One sentence about a decision, with the winning plays.
export function verdictOn(each: Decision, data: ReplayData, name: (seat: number) => string, t: Translate): string {
  const lineOf = ({ line }: Forced) => {
    const plays = line.filter((move) => move.cards.length).map((move) => t(move.text));
    return `${plays.slice(0, MOST_IN_LINE).join(", ")}${plays.length > MOST_IN_LINE ? " …" : ""}`;
  };
  const who = ({ winners }: Forced) => winners.map(name).join(" + ");
  if (each.lost?.winners.length) return fill(t("{} gives the win away, all hands open: {} had one by {}"), t(data.moves[each.ply - 1].text), who(each.lost), lineOf(each.lost));
  return each.forced.winners.length ? fill(t("From here on {} can force the win, all hands open: {}"), who(each.forced), lineOf(each.forced)) : t("A draw");
}
