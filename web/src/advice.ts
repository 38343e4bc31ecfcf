// Hints, chances of cards and exact results, kept only while they are about the position that is shown.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useShared } from "./context";
import type { Chances, Hint } from "./types";

// The agent that a person chose for hints of a game; empty: that of the server.
export const adviser = (game: string) => localStorage.getItem(`adviser ${game}`) ?? "";
export const chooseAdviser = (game: string, by: string) => localStorage.setItem(`adviser ${game}`, by);

// The latest answer of a computation about what is shown, and a function that forgets it.
export function useAnswer<T extends { about: number }>(name: string, about: number): [T | null, () => void] {
  const { net } = useShared();
  const [answer, setAnswer] = useState<T | null>(null);
  const shown = useRef(about);
  const clear = () => setAnswer(null);
  // A layout effect: an answer that comes before the next frame is about this position already.
  useLayoutEffect(() => {
    shown.current = about;
    clear();
  }, [about]);
  useEffect(() => {
    const off = net.on(name, (data: T) => data.about === shown.current && setAnswer(data));
    return () => {
      off();
      void net.ask("stop", { work: name }).catch(() => {});
    };
  }, []);
  return [answer, clear];
}

export function useAdvice(about: number) {
  const [hint, clearHint] = useAnswer<Hint>("hint", about);
  const [chances, clearChances] = useAnswer<Chances>("chances", about);
  return { hint, chances, clear: () => { clearHint(); clearChances(); } };
}
