// What the server still prepares: kernels that are compiled at the first start.

import { useEffect, useState } from "preact/hooks";
import { useShared } from "./context";
import type { Translate } from "./strings";
import type { Game } from "./types";

const LOOK = 1000; // milliseconds between two looks

interface Progress { left: [string, string][]; done: number; total: number }

// A line about the preparation of a game, empty if it is ready; looks only while it is wanted.
export function usePreparation(game: Game | null, stage: string, wanted: boolean, t: Translate): string {
  const { net } = useShared();
  const [progress, setProgress] = useState<Progress | null>(null);
  useEffect(() => {
    setProgress(null);
    if (!wanted) return;
    let clock = 0;
    const look = () => {
      if (!net.online) return; // requests that wait would all be sent when the connection returns
      void net.ask("preparation").then((found: Progress) => {
        setProgress(found);
        if (!found.left.length) clearInterval(clock);
      }, () => {});
    };
    clock = window.setInterval(look, LOOK);
    look();
    return () => clearInterval(clock);
  }, [wanted, game?.name, stage]);
  const isLeft = progress?.left.some(([name, each]) => (!game || name === game.name) && each === stage);
  return isLeft ? `${t("being prepared, once after an installation:")} ${progress!.done}/${progress!.total}` : "";
}

// Shown in place of an answer that has not come yet.
export function Waiting({ game, stage, t }: { game: Game; stage: string; t: Translate }) {
  return <p class="busy" role="status">{usePreparation(game, stage, true, t) || "…"}</p>;
}
