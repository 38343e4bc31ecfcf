// The result of a hand in words: won or lost between two sides, a place among more.

import { fill, type Translate } from "./strings";

const EQUAL = 1e-9;

export const signed = (value: number) => `${value > EQUAL ? "+" : ""}${Math.round(value * 1000) / 1000 || 0}`;

// A number with some digits; what rounding leaves of zero has no sign.
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

// Whether a seat did better (1) or worse (-1) than the mean of all.
export function tone(returns: number[], seat: number): number {
  const gap = returns[seat] - returns.reduce((a, b) => a + b, 0) / returns.length;
  return Math.abs(gap) < EQUAL ? 0 : Math.sign(gap);
}

export const toneClass = (returns: number[], seat: number) => ["points down", "points", "points up"][tone(returns, seat) + 1];

// Seats of one side share their place.
export function place(returns: number[], sides: number[], seat: number): number {
  const better = sides.filter((side, other) => side !== sides[seat] && returns[other] > returns[seat] + EQUAL);
  return 1 + new Set(better).size;
}

// Whether there are places among more than two sides, not just some who have won and some who have lost.
export const hasPlaces = (returns: number[], sides: number[]) => new Set(sides).size > 2 && new Set(returns.map(signed)).size > 2;

export function verdict(returns: number[], sides: number[], seat: number, t: Translate): string {
  const number = new Set(sides).size;
  if (hasPlaces(returns, sides)) return fill(t("Place {} of {}"), String(place(returns, sides, seat)), String(number));
  const others = returns.filter((_, other) => sides[other] !== sides[seat]);
  const gap = returns[seat] - others.reduce((a, b) => a + b, 0) / Math.max(1, others.length);
  return t(Math.abs(gap) < EQUAL ? "A draw" : gap > 0 ? "You win" : "You lose");
}
