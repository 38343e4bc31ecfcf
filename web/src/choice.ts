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
  clear: () => void;
}

export function useChoice(hand: string[], legal: Action[] | null): Choice {
  const [chosen, setChosen] = useState<Set<number>>(new Set());
  const byCards = useMemo(() => {
    const found = new Map<string, Action[]>();
    for (const action of legal ?? []) {
      if (action.cards.length) found.set(sorted(action.cards), [...(found.get(sorted(action.cards)) ?? []), action]);
    }
    return found;
  }, [legal]);
  const cards = [...chosen].sort((a, b) => a - b).map((i) => hand[i]);
  const choose = (wanted: string[]) => {
    const rest = [...wanted];
    const found = new Set<number>();
    hand.forEach((card, i) => {
      const at = rest.indexOf(card);
      if (at < 0) return;
      rest.splice(at, 1);
      found.add(i);
    });
    setChosen(found);
  };
  const toggle = (index: number) => setChosen((before) => {
    const after = new Set(before);
    if (!after.delete(index)) after.add(index);
    return after;
  });
  const plays = cards.length ? byCards.get(sorted(cards)) ?? [] : [];
  return { chosen, cards, plays, hasPlays: byCards.size > 0, choose, toggle, clear: () => setChosen(new Set()) };
}
