// The first page: choose a game and the players, and start.

import { useEffect, useMemo, useState } from "preact/hooks";
import { Card } from "./cards";
import { useAgents, useShared } from "./context";
import { translator, type Translate } from "./strings";
import type { Agent, Game, Option } from "./types";

const PERSON = "\u0000person";

export function cost(microseconds: number | null): string {
  if (microseconds === null) return "";
  if (microseconds < 1000) return ` · ${microseconds} µs`;
  return microseconds < 1e6 ? ` · ${Math.round(microseconds / 1000)} ms` : ` · ${microseconds / 1e6} s`;
}

const points = (value: number) => `${value > 0 ? "+" : ""}${Number(value.toPrecision(2))}`;

export function about(agent: Agent): string {
  return `${cost(agent.microseconds)}${agent.strength ? ` · ${points(agent.strength.points[0])}` : ""}`;
}

// The agents of a game, the strongest first: what a decision takes, and what they win.
function Agents({ agents, t }: { agents: Agent[]; t: Translate }) {
  const measured = agents.filter((agent) => agent.strength).sort((a, b) => b.strength!.points[0] - a.strength!.points[0]);
  if (!measured.length) return null;
  const others = agents.filter((agent) => !agent.strength);
  const low = Math.min(...measured.map((agent) => agent.strength!.points[1]));
  const high = Math.max(...measured.map((agent) => agent.strength!.points[2]));
  const x = (value: number) => 2 + (96 * (value - low)) / Math.max(1e-9, high - low);
  return (
    <details class="agents">
      <summary>{t("Agents")}</summary>
      <div class="scroll"><table>
        <thead><tr><th>{t("agent")}</th><th>{t("a decision")}</th><th>{t("points against")} {measured[0].strength!.against}{measured[0].strength!.rounds > 1 ? <small>{t("a round, in matches of")} {measured[0].strength!.rounds}</small> : null}</th><th /><th>{t("win rate")}</th></tr></thead>
        <tbody>
          {measured.map((agent) => {
            const [mean, from, to] = agent.strength!.points;
            return (
              <tr key={agent.text} data-agent={agent.text}>
                <th>{agent.text}</th><td>{cost(agent.microseconds).slice(3)}</td>
                <td>{points(mean)} <small class="inline">({points(from)} … {points(to)})</small></td>
                <td class="wide"><svg class="interval" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                  <line x1={x(from)} x2={x(to)} y1="5" y2="5" /><path class="dot-mark" d={`M${x(mean)} 5h.01`} />
                </svg></td>
                <td>{agent.strength!.won ? `${(100 * agent.strength!.won[0]).toFixed(1)} %` : ""}</td>
              </tr>
            );
          })}
          {others.map((agent) => <tr key={agent.text}><th>{agent.text}</th><td>{cost(agent.microseconds).slice(3)}</td><td>{agent.clocked ? t("depends on the clock") : ""}</td><td /><td /></tr>)}
        </tbody>
      </table></div>
    </details>
  );
}

export function Lobby() {
  const { net, games, language, t } = useShared();
  const [name, setName] = useState(() => localStorage.getItem("game") ?? games[0]?.name ?? "");
  const game = games.find((each) => each.name === name) ?? games[0];
  const [tables, setTables] = useState<any[]>([]);
  useEffect(() => { void net.ask("tables").then(setTables, () => {}); }, []);
  const pick = (each: Game) => {
    localStorage.setItem("game", each.name);
    setName(each.name);
  };
  if (!net.owner) return <main class="page"><p>closedhand</p></main>;
  return (
    <main class="page lobby">
      <header class="hero">
        <div class="hero-cards" aria-hidden="true">{["As", "Kh", "Qc", "Jd", "JOKER"].map((card) => <Card key={card} card={card} faces={{ JOKER: "JOKER" }} />)}</div>
        <h1>closedhand</h1>
        <nav><a class="button" href="#/replay">{t("Replay")}</a><a class="button" href="#/analyse">{t("Analyse")}</a><a class="button" href="#/solve">{t("Solve")}</a><a class="button" href="#/runs">{t("Runs")}</a></nav>
      </header>
      <section aria-label={t("Games")} class="games">
        {games.map((each) => (
          <button type="button" key={each.name} class={`game${each === game ? " selected" : ""}`} aria-pressed={each === game} data-game={each.name} onClick={() => pick(each)}>
            <b>{translator(language, each)(each.title)}</b><small>{each.players} {t("Seats")}</small>
          </button>
        ))}
      </section>
      {game ? <Setup key={game.name} game={game} /> : null}
      <Servers />
      {tables.length ? (
        <section class="card-box-list">
          <h2>{t("Your tables")}</h2>
          <ul class="tables">{tables.map((each) => (
            <li key={each.table}>
              <a href={`#/t/${each.table}/${each.token}`}>{each.game} <small>{each.occupants.join(" · ")} · {each.hands} {t("game")}</small></a>
              <button type="button" aria-label={t("Remove")} onClick={() => net.ask("drop", { table: each.table }).then(() => setTables(tables.filter((x) => x !== each)))}>×</button>
            </li>
          ))}</ul>
        </section>
      ) : null}
    </main>
  );
}

export function OptionList({ game, options, change, t }: { game: Game; options: Record<string, string>; change: (options: Record<string, string>) => void; t: Translate }) {
  if (!game.options.length) return null;
  const set = (key: string, value: string) => {
    const next = { ...options, [key]: value };
    if (value === "") delete next[key];
    change(next);
  };
  const valueOf = (option: Option) => {
    const value = options[option.name] ?? "";
    return value.toLowerCase() === String(option.default).toLowerCase() ? "" : value;
  };
  return (
    <details open={Object.keys(options).length > 0}>
      <summary>{t("Options")}</summary>
      {game.options.map((option) => (
        <label key={option.name} title={option.text} data-option={option.name}>{option.name}
          {option.choices.length || option.kind === "bool" ? (
            <select value={valueOf(option)} onChange={(e) => set(option.name, e.currentTarget.value)}>
              <option value="">{String(option.default)}</option>
              {(option.choices.length ? option.choices : ["true", "false"]).filter((choice) => choice !== String(option.default)).map((choice) => <option key={choice}>{choice}</option>)}
            </select>
          ) : <input placeholder={String(option.default ?? "")} value={options[option.name] ?? ""} onChange={(e) => set(option.name, e.currentTarget.value)} />}
        </label>
      ))}
    </details>
  );
}

interface Server { game: string; server: string; occupant: string; waiting: boolean; trouble: string; link: [string, string] | null }

// Servers of competitions: a person, or an agent, takes a seat there.
function Servers() {
  const { net, games, t } = useShared();
  const [servers, setServers] = useState<Server[]>([]);
  const [error, setError] = useState("");
  const [mine, setMine] = useState<number | null>(null);
  const look = () => net.ask("servers").then((found: Server[]) => {
    setServers(found);
    const link = mine !== null ? found[mine]?.link : null;
    if (link && !found[mine!].trouble) location.hash = `#/t/${link[0]}/${link[1]}`;
  }, () => {});
  useEffect(() => {
    void look();
    const clock = setInterval(look, mine === null ? 5000 : 500);
    return () => clearInterval(clock);
  }, [mine]);
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
        {agents.map((agent) => <option key={agent.text} value={agent.text}>{agent.text}{about(agent)}</option>)}
      </select></label>
      {who === PERSON ? <input aria-label={t("Your name")} placeholder={t("Your name")} value={name} maxLength={9} onInput={(e) => setName(e.currentTarget.value)} /> : null}
      {isTaken ? <button type="button" class="leave-seat" onClick={leave}>{t("Give up the seat")}</button> : <button type="submit" class="primary take-seat">{t("Take a seat")}</button>}
      {each.link ? <a class="button" href={`#/t/${each.link[0]}/${each.link[1]}`}>{each.occupant}</a> : null}
      {each.waiting ? <span class="busy">{t("waiting for the match to begin")} …</span> : null}
      {each.trouble ? <span class="error">{each.trouble}</span> : null}
    </form>
  );
}

// With a request of its own, for a table that begins elsewhere than with a new deal.
export function Setup({ game, request, given, players: fixed }: { game: Game; request?: string; given?: object; players?: number }) {
  const { net, language } = useShared();
  const t = useMemo(() => translator(language, game), [language, game]);
  const [players, setPlayers] = useState(fixed ?? game.players);
  const [name, setName] = useState(() => localStorage.getItem("name") ?? "");
  const [seats, setSeats] = useState<string[]>(() => Array.from({ length: 16 }, (_, i) => (i ? game.opponent : PERSON)));
  const agents = useAgents(game);
  const [options, setOptions] = useState<Record<string, string>>({});
  const [open, setOpen] = useState(false);
  const [error, setError] = useState("");
  const [pace, setPace] = useState(() => localStorage.getItem("pace") ?? "0.7");
  const [busy, setBusy] = useState(false);
  const watching = !seats.slice(0, players).includes(PERSON);

  const start = async () => {
    setBusy(true);
    setError("");
    localStorage.setItem("name", name);
    localStorage.setItem("pace", pace);
    const holders = seats.slice(0, players).map((seat) => (seat === PERSON ? { name: name || t("You") } : { agent: seat }));
    try {
      const opened = await (request ? net.ask(request, { seats: holders, ...given }) : net.ask("open", { game: game.name, options, seats: holders, open, pace: Number(pace) }));
      const own = opened.tokens.find((token: string) => token) ?? opened.watch;
      location.hash = `#/t/${opened.table}/${own}`;
    } catch (e) {
      setError((e as Error).message);
    }
    setBusy(false);
  };
  const change = (next: Record<string, string>) => {
    setOptions(next);
    setPlayers(Number(next.players) || game.players);
  };
  return (
    <form class="setup" onSubmit={(e) => { e.preventDefault(); void start(); }}>
      <h2>{t(game.title)}</h2>
      <div class="columns">
        <fieldset data-agents={agents.map((agent) => agent.text).join(" ")}>
          <legend>{t("Seats")}</legend>
          {Array.from({ length: players }, (_, i) => (
            <label key={i} class="seat-choice">{t("seat")} {i + 1}
              <select value={seats[i]} onChange={(e) => setSeats(seats.map((seat, k) => (k === i ? e.currentTarget.value : seat)))}>
                <option value={PERSON}>{t("Person")}</option>
                {agents.map((agent) => <option key={agent.text} value={agent.text}>{agent.text}{about(agent)}</option>)}
              </select>
            </label>
          ))}
          {watching ? request ? null : <label class="check"><input type="checkbox" checked={open} onChange={(e) => setOpen(e.currentTarget.checked)} /> {t("All hands open")}</label>
            : <label>{t("Your name")}<input value={name} maxLength={40} onInput={(e) => setName(e.currentTarget.value)} /></label>}
          {request ? null : <label>{t("Speed")}
            <select id="pace" value={pace} onChange={(e) => setPace(e.currentTarget.value)}>
              {["2", "0.7", "0.2", "0.02"].map((seconds) => <option key={seconds} value={seconds}>{seconds} s</option>)}
            </select>
          </label>}
        </fieldset>
        {request ? null : <OptionList game={game} options={options} change={change} t={t} />}
      </div>
      <Agents agents={agents} t={t} />
      {error ? <p class="error" role="alert">{error}</p> : null}
      <button type="submit" class="primary big" id="start" disabled={busy}>{t(watching ? "Watch" : "Start")}</button>
    </form>
  );
}
