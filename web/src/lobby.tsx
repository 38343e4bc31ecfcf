// The first page: the games, each played with one click; below, a table with choices, and the tables so far.

import { useState } from "preact/hooks";
import { Card } from "./cards";
import { setCoached } from "./coach";
import { useShared } from "./context";
import { usePreparation } from "./preparation";
import { Servers } from "./servers";
import { Setup, goToTable, ownName, pace } from "./setup";
import { translator } from "./strings";
import { Tables } from "./tables";
import type { Game } from "./types";

const LEVELS = ["easy", "fair", "strong"];
const levelOf = (game: string) => localStorage.getItem(`level ${game}`) ?? "fair";

function GameCard({ game, isChosen, choose }: { game: Game; isChosen: boolean; choose: () => void }) {
  const { net, language } = useShared();
  const t = translator(language, game);
  const [level, setLevel] = useState(() => levelOf(game.name));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const preparing = usePreparation(game, "table", busy, t);
  const play = async (coached: boolean) => {
    setBusy(true);
    setCoached(coached);
    setError("");
    localStorage.setItem("game", game.name);
    const own = Math.floor(Math.random() * game.players); // the seats are drawn
    const seats = Array.from({ length: game.players }, (_, i) => (i === own ? { name: ownName() } : { level: game.levels ? level : "fair" }));
    try {
      goToTable(await net.ask("open", { game: game.name, options: game.table_options, seats, pace: pace() }));
    } catch (e) {
      setError((e as Error).message);
    }
    setBusy(false);
  };
  return (
    <section class={`game-card${isChosen ? " selected" : ""}`} aria-label={t(game.title)}>
      <button type="button" class={`game${isChosen ? " selected" : ""}`} aria-pressed={isChosen} data-game={game.name} onClick={choose}>
        <b>{t(game.title)}</b><small>{game.players} {t("Seats")}</small>
      </button>
      <div class="row">
        <button type="button" class="primary play-now" data-play={game.name} disabled={busy} onClick={() => void play(false)}>{t("Play now")}</button>
        <button type="button" class="learn" data-learn={game.name} disabled={busy} onClick={() => void play(true)}>{t("Learn")}</button>
        {game.levels ? (
          <select aria-label={`${t(game.title)}: ${t("Opponents")}`} value={level} onChange={(e) => { setLevel(e.currentTarget.value); localStorage.setItem(`level ${game.name}`, e.currentTarget.value); }}>
            {LEVELS.map((each) => <option key={each} value={each}>{t(each)}</option>)}
          </select>
        ) : null}
        {game.has_rules ? <a class="button" href={`#/rules/${game.name}`}>{t("Rules")}</a> : null}
      </div>
      {preparing ? <p class="busy" role="status">{preparing}</p> : null}
      {error ? <p class="error" role="alert">{error}</p> : null}
    </section>
  );
}

// What somebody sees who has neither the owner's link nor that of a seat.
function Stranger() {
  const { games, language, t } = useShared();
  return (
    <main class="page">
      <h1>closedhand</h1>
      <p>{t("This is a server of card games. To play, open the link of a seat that its owner has sent you. The owner opens the link that the command closedhand web has printed.")}</p>
      <p class="row">{games.filter((game) => game.has_rules).map((game) => {
        const own = translator(language, game);
        return <a key={game.name} class="button" href={`#/rules/${game.name}`}>{own(game.title)}: {t("Rules")}</a>;
      })}</p>
    </main>
  );
}

export function Lobby() {
  const { net, games, t } = useShared();
  const [name, setName] = useState(() => localStorage.getItem("game") ?? games[0]?.name ?? "");
  const game = games.find((each) => each.name === name) ?? games[0];
  if (!net.owner) return <Stranger />;
  const choose = (each: Game) => {
    localStorage.setItem("game", each.name);
    setName(each.name);
  };
  return (
    <main class="page lobby">
      <header class="hero">
        <div class="hero-cards" aria-hidden="true">{["As", "Kh", "Qc", "Jd", "JOKER"].map((card) => <Card key={card} card={card} faces={{ JOKER: "JOKER" }} />)}</div>
        <h1>closedhand</h1>
        <nav><a class="button" href="#/replay">{t("Replay")}</a><a class="button" href="#/analyse">{t("Analyse")}</a><a class="button" href="#/solve">{t("Solve")}</a><a class="button" href="#/runs">{t("Runs")}</a><a class="button" href="#/past">{t("Past hands")}</a></nav>
      </header>
      <section aria-label={t("Games")} class="games">
        {games.map((each) => <GameCard key={each.name} game={each} isChosen={each === game} choose={() => choose(each)} />)}
      </section>
      {game ? <Setup key={game.name} game={game} /> : null}
      <Servers />
      <Tables />
    </main>
  );
}
