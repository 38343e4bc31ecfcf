// What all components share: the connection, the games, the language; and the agents of a game.

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { answerOf, type Link } from "./net";
import type { Translate } from "./strings";
import type { Agent, Game } from "./types";

export interface Shared {
  net: Link;
  games: Game[];
  language: string;
  t: Translate;
}

export const SharedContext = createContext<Shared>(null as unknown as Shared);
export const useShared = (): Shared => useContext(SharedContext);

// How often the connection has come back. The server forgets with a connection what it was asked for.
export function useReturns(): number {
  const { net } = useShared();
  const [returns, setReturns] = useState(0);
  useEffect(() => net.on("online", (online) => online && setReturns((before) => before + 1)), []);
  return returns;
}

const known = new Map<string, Promise<Agent[]>>();

// The agents of a game; at first only its usual opponent, as the server has to import the others.
export function useAgents(game: Game): Agent[] {
  const { net } = useShared();
  const [agents, setAgents] = useState<Agent[]>([{ text: game.opponent, microseconds: null }]);
  useEffect(() => {
    const found = known.get(game.name) ?? answerOf(net, "agents", { game: game.name });
    known.set(game.name, found);
    let current = true;
    found.then((list) => current && setAgents(list), () => known.delete(game.name));
    return () => { current = false; };
  }, [game.name]);
  return agents;
}
