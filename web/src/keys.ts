// Keys of the table: a rank chooses a card, letters and numbers act.

import { useLayoutEffect, useRef } from "preact/hooks";

const FIELD = /^(INPUT|TEXTAREA|SELECT)$/;
const RANK_KEY = /^[0-9jqkaxyzt]$/;
const JOKERS: Record<string, string> = { x: "joker", y: "JOKER" };
const TEN = "10t"; // the keys that stand for the ten

// The rank that a key stands for; empty if it stands for none.
export function rankOf(key: string): string {
  if (!RANK_KEY.test(key)) return "";
  return TEN.includes(key) ? "10" : JOKERS[key] ?? key.toUpperCase();
}

// Moves the focus to the next card of the hand in a direction.
export function focusNext(by: number): boolean {
  const slots = [...document.querySelectorAll<HTMLElement>(".fan.own .slot, .tray .slot")];
  if (!slots.length) return false;
  const now = slots.indexOf(document.activeElement as HTMLElement);
  slots[now < 0 && by < 0 ? slots.length - 1 : (now + by + slots.length) % slots.length].focus();
  return true;
}

// Calls the latest function with every key that belongs to no field.
export function useKeys(press: (event: KeyboardEvent) => void): void {
  const latest = useRef(press);
  latest.current = press;
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isField = FIELD.test((event.target as HTMLElement).tagName);
      if (!isField && !event.ctrlKey && !event.metaKey && !event.altKey) latest.current(event);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}
