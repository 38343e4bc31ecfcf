// How hands went, by game and opponents.

import { tone } from "./outcome";
import { difference } from "./score";
import type { Hand } from "./types";

// A hand of closedhand/web/past_hands.py; `seat` is that of the owner.
export interface PastHand extends Hand {
  table: string;
  time: number; // seconds since 1970
  game: string;
  persons: number[];
  record: string; // empty if none can hold it
  seat: number;
}

export interface Row {
  game: string;
  opponents: string[];
  hands: number;
  won: number; // with more than the mean of all
  points: number; // the mean
  half: number | null; // of its 95% interval
  gap: number; // mean points above those of others on the same cards, over `gaps` hands
  gaps: number;
}

const LEVEL = 0.95; // of intervals
const STEPS = 2_000; // of an integral
const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);

// The two-sided quantile of Student's t, as t_quantile of closedhand/core/statistics.py: t is the square
// root of freedom times the tangent of an angle of density cos^(freedom - 1).
function quantile(freedom: number): number {
  const angle = (step: number) => (Math.PI / 2) * (step / STEPS);
  const below = [0];
  for (let step = 0; step < STEPS; step++) below.push(below[step] + Math.cos(angle(step + 0.5)) ** (freedom - 1));
  const wanted = LEVEL * below[STEPS];
  const next = below.findIndex((each) => each > wanted);
  const part = (wanted - below[next - 1]) / (below[next] - below[next - 1]);
  return Math.sqrt(freedom) * Math.tan(angle(next - 1 + part));
}

function halfOf(values: number[]): number | null {
  if (values.length < 2) return null;
  const middle = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
  return quantile(values.length - 1) * Math.sqrt(variance / values.length);
}

function grouped(hands: PastHand[], key: (hand: PastHand) => string): PastHand[][] {
  const found = new Map<string, PastHand[]>();
  for (const hand of hands) found.set(key(hand), [...(found.get(key(hand)) ?? []), hand]);
  return [...found.values()];
}

// The owner is the person who sat down first.
export const ownSeat = (hand: PastHand) => [...hand.persons].sort((a, b) => hand.players[a] - hand.players[b])[0];

const opponentsOf = (hand: PastHand) => [...new Set(hand.occupants.filter((_, seat) => seat !== hand.seat))].sort();

// The rows, those with the most hands first.
export function statistics(hands: PastHand[]): Row[] {
  const rows = grouped(hands, (hand) => [hand.game, ...opponentsOf(hand)].join("\n")).map((same) => {
    const points = same.map((hand) => hand.returns[hand.seat]);
    const gaps = grouped(same, (hand) => hand.table).flatMap((table) => difference(table, table[0].players[table[0].seat]));
    return {
      game: same[0].game, opponents: opponentsOf(same[0]), hands: same.length,
      won: same.filter((hand) => tone(hand.returns, hand.seat) > 0).length,
      points: mean(points), half: halfOf(points), gap: mean(gaps), gaps: gaps.length,
    };
  });
  return rows.sort((a, b) => b.hands - a.hands);
}
