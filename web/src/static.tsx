// Replays in a page without a server: all data are in the page.

import { render } from "preact";
import { useMemo, useState } from "preact/hooks";
import { SharedContext } from "./context";
import { recorded } from "./felt";
import type { Link } from "./net";
import { Replayed } from "./replay";
import { preferred, translator } from "./strings";
import type { Game, Position, ReplayData } from "./types";

// The moves before a position are the last ones played, so only their number is kept.
interface Kept extends ReplayData { positions: (Omit<Position, "moves"> & { moves: number })[] }
interface Held { games: Game[]; records: Kept[] }

class Book implements Link {
  owner = false;
  live = false;
  online = true;
  constructor(private record: Kept) {}
  ask(what: string, given: { ply?: number } = {}): Promise<any> {
    if (what !== "ply") return Promise.resolve(null);
    const ply = given.ply ?? 0;
    const found = this.record.positions[ply];
    return Promise.resolve({ ...found, moves: this.record.moves.slice(ply - found.moves, ply) });
  }
  on(): () => void {
    return () => {};
  }
}

function Page({ held }: { held: Held }) {
  const language = preferred();
  const t = useMemo(() => translator(language), [language]);
  const [index, setIndex] = useState(held.records.length === 1 ? 0 : -1);
  const record = held.records[index];
  const net = useMemo(() => new Book(record), [record]);
  return (
    <SharedContext.Provider value={{ net, games: held.games, language, t }}>
      {record ? <Replayed key={index} data={record} back={held.records.length > 1 ? () => setIndex(-1) : undefined} /> : (
        <main class="page">
          <h1>{t("Replay")}</h1>
          <ol class="games-list">{held.records.map((each, i) => (
            <li key={i}><button type="button" data-record={i} onClick={() => setIndex(i)}>
              <b>{i + 1}</b> {each.game} <small>{recorded(each.agents, t).join(" · ")}</small> <span>{each.returns.map((value) => (value > 0 ? `+${value}` : value)).join(" / ")}</span>
            </button></li>
          ))}</ol>
        </main>
      )}
    </SharedContext.Provider>
  );
}

render(<Page held={JSON.parse(document.getElementById("held")!.textContent!)} />, document.getElementById("app")!);
