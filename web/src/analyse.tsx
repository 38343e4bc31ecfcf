// A position typed by a person.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { adviser, chooseAdviser, useAdvice } from "./advice";
import { useReturns, useShared } from "./context";
import { Fan } from "./fan";
import { Felt } from "./felt";
import { ChancesPanel, HintPanel } from "./hints";
import { Offline } from "./net";
import { OptionList, usePlayers, type Options } from "./options";
import { OpenHands } from "./open-hands";
import { Waiting } from "./preparation";
import { translator } from "./strings";
import type { Game, Position } from "./types";

export function AnalysePage() {
  const { net, games, language, t: common } = useShared();
  const [name, setName] = useState(() => localStorage.getItem("game") ?? games[0].name);
  const game: Game = games.find((each) => each.name === name) ?? games[0];
  const t = useMemo(() => translator(language, game), [language, game]);
  const [player, setPlayer] = useState("0");
  const [hand, setHand] = useState("");
  const [actions, setActions] = useState("");
  const [facts, setFacts] = useState("");
  const [options, setOptions] = useState<Options>({});
  const [pasted, setPasted] = useState("");
  const [position, setPosition] = useState<Position | null>(null);
  const [about, setAbout] = useState(0); // number of the question that is shown
  const { hint, chances } = useAdvice(about);
  const asked = useRef<object>({});
  const returns = useReturns();
  // What a lost connection has cut off.
  useEffect(() => { if (returns && position && !(hint?.done && chances)) void net.ask("analyse", asked.current).catch(() => {}); }, [returns]);
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const go = async (chosen?: string) => {
    if (chosen) chooseAdviser(game.name, chosen);
    const by = chosen ?? adviser(game.name);
    setError("");
    setAbout(about + 1);
    setBusy(true);
    // The server refuses a line that is not KEY=VALUE by its text.
    const known = facts.split("\n").filter((line) => line.trim()).map((line) => line.split("=")).map(([key, ...value]) => [key.trim(), value.join("=").trim()]);
    try {
      asked.current = { game: game.name, options, player: Number(player) || 0, hand, actions, about: about + 1, public: Object.fromEntries(known), ...(by ? { by } : {}) };
      setPosition(await net.ask("analyse", asked.current));
    } catch (e) {
      setPosition(null);
      if (!(e instanceof Offline)) setError((e as Error).message);
    }
    setBusy(false);
  };
  const choose = (next: string) => {
    setName(next);
    setOptions({});
    setPosition(null);
  };
  const paste = async (text: string) => {
    setPasted(text);
    setError("");
    try {
      const found = await net.ask("position", { text });
      if (found.game && found.game !== game.name) choose(found.game);
      if (found.game) setOptions(Object.fromEntries(Object.entries(found.options).map(([key, value]) => [key, String(value)])));
      setPlayer(String(found.player));
      setHand(found.hand);
      setActions(found.actions);
      setFacts(found.facts);
      setPasted("");
    } catch (e) {
      setError((e as Error).message);
    }
  };
  const players = usePlayers(game, options);
  return (
    <main class="page">
      <header class="head"><a class="icon-button" href="#/" aria-label={common("Back to the games")}>‹</a><h1>{common("Analyse")}</h1></header>
      <div class="columns">
        <form class="box form" onSubmit={(e) => { e.preventDefault(); void go(); }}>
          <label>{common("Paste a position")}<input id="position" value={pasted} placeholder="make_game('…').view_from(…)" onInput={(e) => void paste(e.currentTarget.value)} /></label>
          <label>{common("Games")}<select value={game.name} onChange={(e) => choose(e.currentTarget.value)} id="game">{games.map((each) => <option key={each.name} value={each.name}>{translator(language, each)(each.title)}</option>)}</select></label>
          <label>{common("Seat to act")}<select id="player" value={player} onChange={(e) => setPlayer(e.currentTarget.value)}>{Array.from({ length: players }, (_, i) => <option key={i} value={i}>{i + 1}</option>)}</select></label>
          <OptionList key={game.name} game={game} options={options} change={setOptions} />
          <label>{common("Hand")}<input id="hand" value={hand} onInput={(e) => setHand(e.currentTarget.value)} /></label>
          <label>{common("Actions so far")}<textarea id="actions" rows={3} value={actions} onInput={(e) => setActions(e.currentTarget.value)} /></label>
          <label>{common("What is known besides")}<textarea id="facts" rows={3} placeholder={game.facts.map((fact) => `${fact}=`).join("\n")} value={facts} onInput={(e) => setFacts(e.currentTarget.value)} /></label>
          {error ? <p class="error" role="alert">{error}</p> : null}
          {busy ? <Waiting game={game} stage="table" t={t} /> : null}
          <button type="submit" class="primary" id="go">{common("Analyse")}</button>
        </form>
        {position ? <div class="box"><HintPanel hint={hint} game={game} t={t} use={() => {}} again={(by) => void go(by)} /><ChancesPanel chances={chances} holders={[]} own={-9} game={game} t={t} /></div> : null}
      </div>
      {position ? <div class="inline-felt"><Felt position={position} holders={[]} own={Number(player)} game={game} t={t}><div class="mine"><Fan cards={position.rows.find((row) => row.seat === Number(player))?.cards ?? []} game={game} t={t} /></div></Felt></div> : null}
      {game.open_hands ? <OpenHands key={game.name} game={game} /> : null}
    </main>
  );
}
