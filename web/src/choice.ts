// The cards that a person has chosen, and the legal plays that they are.

import { useMemo, useState } from "preact/hooks";
import type { Action } from "./types";

// Equal for the same cards in any order.
const sorted = (cards: string[]) => [...cards].sort().join("\n");

export interface Choice {
  chosen: Set<number>; // indices in the hand
  cards: string[]; // the chosen ones
  plays: Action[]; // the legal plays of exactly these cards
  hasPlays: boolean; // whether any legal play has cards
  choose: (wanted: string[]) => void;
  toggle: (index: number) => void;
  tap: (index: number) => void; // completes a play where there is one to beat
  clear: () => void;
}

// The indices of some cards in a hand, one given index among them.
export function indicesOf(wanted: string[], hand: string[], first = -1): Set<number> {
  const rest = [...wanted];
  const found = new Set<number>();
  const take = (i: number) => {
    const at = rest.indexOf(hand[i]);
    if (at < 0 || found.has(i)) return;
    rest.splice(at, 1);
    found.add(i);
  };
  if (first >= 0) take(first);
  hand.forEach((_, i) => take(i));
  return found;
}

// `isFollowing`: whether there is a play to beat.
export function useChoice(hand: string[], legal: Action[] | null, isFollowing: boolean): Choice {
  const [chosen, setChosen] = useState<Set<number>>(new Set());
  const [tapped, setTapped] = useState({ index: -1, turn: 0 }); // the card tapped, and its play shown now
  const byCards = useMemo(() => {
    const found = new Map<string, Action[]>();
    for (const action of legal ?? []) {
      if (action.cards.length) found.set(sorted(action.cards), [...(found.get(sorted(action.cards)) ?? []), action]);
    }
    return found;
  }, [legal]);
  const set = (next: Set<number>, index = -1, turn = 0) => {
    setChosen(next);
    setTapped({ index, turn });
  };
  const toggle = (index: number) => {
    setTapped({ index: -1, turn: 0 });
    setChosen((before) => {
      const after = new Set(before);
      if (!after.delete(index)) after.add(index);
      return after;
    });
  };
  const tap = (index: number) => {
    const isAgain = tapped.index === index;
    const plays = [...byCards.values()].map((same) => same[0].cards).filter((cards) => cards.includes(hand[index])).sort((a, b) => a.length - b.length);
    if (!isFollowing || !plays.length || (chosen.size && !isAgain)) return toggle(index);
    const turn = isAgain ? tapped.turn + 1 : 0;
    if (turn < plays.length) set(indicesOf(plays[turn], hand, index), index, turn);
    else set(new Set());
  };
  const cards = [...chosen].sort((a, b) => a - b).map((i) => hand[i]);
  const plays = cards.length ? byCards.get(sorted(cards)) ?? [] : [];
  return { chosen, cards, plays, hasPlays: byCards.size > 0, choose: (wanted) => set(indicesOf(wanted, hand)), toggle, tap, clear: () => set(new Set()) };
}
