// A swipe over the hand: every card on its way is chosen, or put back.

import { useRef } from "preact/hooks";

const FIELD = "[data-index]";
const indexAt = (event: PointerEvent) => {
  const found = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>(FIELD);
  return found ? Number(found.dataset.index) : -1;
};

// Handlers for the element that holds the cards. A press that stays on one card is a click of it.
export function useSwipe(toggle?: (index: number) => void) {
  const first = useRef(-1);
  const passed = useRef<Set<number>>(new Set());
  if (!toggle) return {};
  return {
    onPointerDown: (event: PointerEvent) => {
      first.current = indexAt(event);
      passed.current = new Set();
      // A finger is captured by the card that it touches, which would hide the others.
      (event.target as HTMLElement).releasePointerCapture?.(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      const now = indexAt(event);
      if (first.current < 0 || now < 0 || !event.buttons) return;
      if (!passed.current.size && now === first.current) return;
      for (const index of passed.current.size ? [now] : [first.current, now]) {
        if (passed.current.has(index)) continue;
        passed.current.add(index);
        toggle(index);
      }
    },
    onClickCapture: (event: MouseEvent) => {
      // The end of a swipe is no click.
      if (passed.current.size > 0) event.stopPropagation();
      passed.current = new Set();
      first.current = -1;
    },
  };
}
