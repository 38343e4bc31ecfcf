// Open hands typed by a person: an endgame, solved exactly.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAnswer } from "./advice";
import { useReturns, useShared } from "./context";
import { EndgamePanel } from "./endgame";
import { Felt } from "./felt";
import { Offline } from "./net";
import { OptionList, usePlayers, type Options } from "./options";
import { Waiting } from "./preparation";
import { translator } from "./strings";
import type { Endgame, Game, Position } from "./types";

export function OpenHands({ game }: { game: Game }) {
  const { net, language, t: common } = useShared();
  const t = useMemo(() => translator(language, game), [language, game]);
  const [hands, setHands] = useState<string[]>([]);
  const [turn, setTurn] = useState("0");
  const [beat, setBeat] = useState("");
  const [by, setBy] = useState("");
  const [options, setOptions] = useState<Options>({});
  const [position, setPosition] = useState<Position | null>(null);
  const [about, setAbout] = useState(0); // number of the question that is shown
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const [endgame] = useAnswer<Endgame>("endgame", about);
  const asked = useRef<object>({});
  const returns = useReturns();
  // What a lost connection has cut off.
  useEffect(() => { if (returns && position && !endgame) void net.ask("place", asked.current).catch(() => {}); }, [returns]);
  const players = usePlayers(game, options);
  const seats = Array.from({ length: players }, (_, i) => i);
  const name = (seat: number) => {
    const role = position?.rows.find((row) => row.seat === seat)?.role;
    return role ? t(role) : `${common("seat")} ${seat + 1}`;
  };
  const go = async () => {
    setError("");
    setAbout(about + 1);
    setBusy(true);
    try {
      asked.current = {
        game: game.name, options, hands: seats.map((seat) => hands[seat] ?? ""), turn: Number(turn), about: about + 1,
        ...(beat.trim() ? { beat: beat.trim(), ...(by ? { by: Number(by) } : {}) } : {}),
      };
      setPosition(await net.ask("place", asked.current));
    } catch (e) {
      setPosition(null);
      if (!(e instanceof Offline)) setError((e as Error).message);
    }
    setBusy(false);
  };
  return (
    <>
      <div class="columns">
        <form class="box form" id="open-hands" onSubmit={(e) => { e.preventDefault(); void go(); }}>
          <h2>{common("Open hands, exact")}: {t(game.title)}</h2>
          {seats.map((seat) => (
            <label key={seat}>{common("Hand")}, {common("seat")} {seat + 1}<input data-hand={seat} value={hands[seat] ?? ""} onInput={(e) => { const next = [...hands]; next[seat] = e.currentTarget.value; setHands(next); }} /></label>
          ))}
          <label>{common("Seat to act")}<select id="turn" value={turn} onChange={(e) => setTurn(e.currentTarget.value)}>{seats.map((seat) => <option key={seat} value={seat}>{seat + 1}</option>)}</select></label>
          <label>{common("Play to beat")}<input id="beat" value={beat} onInput={(e) => setBeat(e.currentTarget.value)} /></label>
          <label>{common("Played by")}<select id="beat-by" value={by} onChange={(e) => setBy(e.currentTarget.value)}><option value="">{common("the seat before")}</option>{seats.map((seat) => <option key={seat} value={seat}>{common("seat")} {seat + 1}</option>)}</select></label>
          <OptionList game={game} options={options} change={setOptions} />
          {error ? <p class="error" role="alert">{error}</p> : null}
          {busy ? <Waiting game={game} stage="table" t={t} /> : null}
          <button type="submit" class="primary" id="solve-hands">{common("Solve")}</button>
        </form>
        {position ? <div class="box"><EndgamePanel endgame={endgame} game={game} name={name} t={t} /></div> : null}
      </div>
      {position ? <div class="inline-felt"><Felt position={position} holders={[]} own={-9} game={game} t={t} /></div> : null}
    </>
  );
}
