// Servers of competitions, at which a person or an agent can take a seat.

import { useEffect, useState } from "preact/hooks";
import { useAgents, useReturns, useShared } from "./context";
import { PERSON } from "./setup";
import type { Translate } from "./strings";
import type { Game } from "./types";

interface Server { game: string; server: string; occupant: string; waiting: boolean; trouble: string; link: [string, string] | null }

export function Servers() {
  const { net, games, t } = useShared();
  const [servers, setServers] = useState<Server[]>([]);
  const [error, setError] = useState("");
  const [mine, setMine] = useState<number | null>(null);
  const returns = useReturns();
  const look = () => {
    if (!net.online) return; // requests that wait would all be sent when the connection returns
    void net.ask("servers").then((found: Server[]) => {
      setServers(found);
      const link = mine !== null ? found[mine]?.link : null;
      if (link && !found[mine!].trouble) location.hash = `#/t/${link[0]}/${link[1]}`;
    }, () => {});
  };
  useEffect(() => {
    look();
    const clock = setInterval(look, mine === null ? 5000 : 500);
    return () => clearInterval(clock);
  }, [mine, returns]);
  if (!servers.length) return null;
  const takeSeat = async (server: number, seat: object) => {
    setError("");
    try {
      await net.ask("take_seat", { server, seat });
      setMine(server);
    } catch (e) {
      setError((e as Error).message);
    }
  };
  const leaveSeat = (server: number) => {
    setError("");
    void net.ask("leave_seat", { server }).then(look, (e: Error) => setError(e.message));
  };
  return (
    <section class="box servers">
      <h2>{t("Matches elsewhere")}</h2>
      {error ? <p class="error" role="alert">{error}</p> : null}
      {servers.map((each, i) => {
        const game = games.find((one) => one.name === each.game);
        return game ? <Server key={i} each={each} game={game} take={(seat) => void takeSeat(i, seat)} leave={() => leaveSeat(i)} t={t} /> : null;
      })}
    </section>
  );
}

function Server({ each, game, take, leave, t }: { each: Server; game: Game; take: (seat: object) => void; leave: () => void; t: Translate }) {
  const isTaken = each.waiting || (each.link !== null && !each.trouble);
  const agents = useAgents(game);
  const [who, setWho] = useState(PERSON);
  const [name, setName] = useState(() => localStorage.getItem("name") ?? "");
  return (
    <form class="row" data-server={each.server} onSubmit={(e) => { e.preventDefault(); take(who === PERSON ? { name: name || "you" } : { agent: who }); }}>
      <b>{each.server}</b>
      <label>{t("Player")} <select value={who} onChange={(e) => setWho(e.currentTarget.value)}>
        <option value={PERSON}>{t("Person")}</option>
        {agents.map((agent) => <option key={agent.text} value={agent.text}>{agent.text}</option>)}
      </select></label>
      {who === PERSON ? <input aria-label={t("Your name")} placeholder={t("Your name")} value={name} maxLength={9} onInput={(e) => setName(e.currentTarget.value)} /> : null}
      {isTaken ? <button type="button" class="leave-seat" onClick={leave}>{t("Give up the seat")}</button> : <button type="submit" class="primary take-seat">{t("Take a seat")}</button>}
      {each.link ? <a class="button" href={`#/t/${each.link[0]}/${each.link[1]}`}>{each.occupant}</a> : null}
      {each.waiting ? <span class="busy">{t("waiting for the match to begin")} …</span> : null}
      {each.trouble ? <span class="error">{each.trouble}</span> : null}
    </form>
  );
}
