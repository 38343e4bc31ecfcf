// Hints and chances of cards, kept only while they are about the position that is shown.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useShared } from "./context";
import type { Chances, Hint } from "./types";

// The agent that a person chose for hints of a game; empty: that of the server.
export const adviser = (game: string) => localStorage.getItem(`adviser ${game}`) ?? "";
export const chooseAdviser = (game: string, by: string) => localStorage.setItem(`adviser ${game}`, by);

export interface Advice { hint: Hint | null; chances: Chances | null; clear: () => void }

export function useAdvice(about: number): Advice {
  const { net } = useShared();
  const [hint, setHint] = useState<Hint | null>(null);
  const [chances, setChances] = useState<Chances | null>(null);
  const shown = useRef(about);
  const clear = () => { setHint(null); setChances(null); };
  // A layout effect: an answer that comes before the next frame is about this position already.
  useLayoutEffect(() => {
    shown.current = about;
    clear();
  }, [about]);
  useEffect(() => {
    const offs = [
      net.on("hint", (data: Hint) => data.about === shown.current && setHint(data)),
      net.on("chances", (data: Chances) => data.about === shown.current && setChances(data)),
    ];
    return () => {
      offs.forEach((off) => off());
      for (const work of ["hint", "chances"]) void net.ask("stop", { work }).catch(() => {});
    };
  }, []);
  return { hint, chances, clear };
}
