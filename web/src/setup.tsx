// The form for a new table.

import { useMemo, useState } from "preact/hooks";
import { Agents } from "./agents";
import { useAgents, useShared } from "./context";
import { setHotseat } from "./hotseat";
import { OptionList, usePlayers, type Options } from "./options";
import { usePreparation } from "./preparation";
import { translator } from "./strings";
import type { Agent, Game } from "./types";

export const PERSON = "\u0000person";
const MOST_SEATS = 16;
const PACES = ["2", "0.7", "0.2", "0.02"];
const PACE = "0.7";

export const ownName = () => localStorage.getItem("name") ?? "";
export const pace = () => Number(localStorage.getItem("pace") ?? PACE);

export function goToTable(opened: { table: string; tokens: string[]; watch: string }): void {
  location.hash = `#/t/${opened.table}/${opened.tokens.find((token) => token) ?? opened.watch}`;
}

// The strongest agents first.
const byStrength = (agents: Agent[]) => [...agents].sort((a, b) => (b.strength?.points[0] ?? -1e9) - (a.strength?.points[0] ?? -1e9));

// With `request` the table begins at another position than a new deal.
export function Setup({ game, request, given, players: fixed }: { game: Game; request?: string; given?: object; players?: number }) {
  const { net, language } = useShared();
  const t = useMemo(() => translator(language, game), [language, game]);
  const [seats, setSeats] = useState<string[]>(() => Array.from({ length: MOST_SEATS }, (_, i) => (i ? game.opponent : PERSON)));
  const [names, setNames] = useState<string[]>(() => Array.from({ length: MOST_SEATS }, (_, i) => (i ? "" : ownName())));
  const agents = useAgents(game);
  const [options, setOptions] = useState<Options>(game.table_options);
  const [open, setOpen] = useState(false);
  const [error, setError] = useState("");
  const [speed, setSpeed] = useState(() => localStorage.getItem("pace") ?? PACE);
  const [shared, setShared] = useState(false); // whether all persons use this device
  const [busy, setBusy] = useState(false);
  const preparing = usePreparation(game, "table", busy, t);
  const free = usePlayers(game, options);
  const players = fixed ?? free;
  const used = seats.slice(0, players);
  const persons = used.filter((seat) => seat === PERSON).length;
  const watching = !used.includes(PERSON);
  const put = (list: string[], place: number, value: string) => list.map((each, i) => (i === place ? value : each));

  const start = async () => {
    setBusy(true);
    setError("");
    const own = used.indexOf(PERSON);
    if (own >= 0) localStorage.setItem("name", names[own]);
    localStorage.setItem("pace", speed);
    const holders = used.map((seat, i) => (seat === PERSON ? { name: names[i] } : { agent: seat }));
    try {
      const opened = await (request ? net.ask(request, { seats: holders, ...given }) : net.ask("open", { game: game.name, options, seats: holders, open, pace: Number(speed) }));
      setHotseat(opened.table, shared && persons > 1);
      goToTable(opened);
    } catch (e) {
      setError((e as Error).message);
    }
    setBusy(false);
  };
  return (
    <form class="setup" onSubmit={(e) => { e.preventDefault(); void start(); }}>
      <h2>{t(game.title)}</h2>
      <div class="columns">
        <fieldset data-agents={agents.map((agent) => agent.text).join(" ")}>
          <legend>{t("Seats")}</legend>
          {used.map((seat, i) => (
            <div key={i} class="seat-choice">
              <label>{t("seat")} {i + 1}
                <select value={seat} onChange={(e) => setSeats(put(seats, i, e.currentTarget.value))}>
                  <option value={PERSON}>{t("Person")}</option>
                  {byStrength(agents).map((agent) => <option key={agent.text} value={agent.text}>{agent.text}</option>)}
                </select>
              </label>
              {seat === PERSON ? <input class="seat-name" aria-label={`${t("Your name")}, ${t("seat")} ${i + 1}`} placeholder={t("Your name")} value={names[i]} maxLength={40} onInput={(e) => setNames(put(names, i, e.currentTarget.value))} /> : null}
            </div>
          ))}
          {persons > 1 ? <label class="check"><input type="checkbox" id="hotseat" checked={shared} onChange={(e) => setShared(e.currentTarget.checked)} /> {t("All persons on this device")}</label> : null}
          {watching && !request ? <label class="check"><input type="checkbox" checked={open} onChange={(e) => setOpen(e.currentTarget.checked)} /> {t("All hands open")}</label> : null}
          {request ? null : <label>{t("Speed")}
            <select id="pace" value={speed} onChange={(e) => setSpeed(e.currentTarget.value)}>
              {PACES.map((seconds) => <option key={seconds} value={seconds}>{seconds} s</option>)}
            </select>
          </label>}
        </fieldset>
        {request ? null : <OptionList game={game} options={options} change={setOptions} />}
      </div>
      <Agents agents={agents} t={t} />
      {error ? <p class="error" role="alert">{error}</p> : null}
      {preparing ? <p class="busy" role="status">{preparing}</p> : null}
      <button type="submit" class="primary big" id="start" disabled={busy}>{t(watching ? "Watch" : "Start")}</button>
    </form>
  );
}
