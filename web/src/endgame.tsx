// Open hands, solved exactly: who wins, by which plays, and what every play is worth.

import { Card } from "./cards";
import { signed } from "./outcome";
import { Waiting } from "./preparation";
import { fill, type Translate } from "./strings";
import type { Endgame, Game } from "./types";

const MOST_PLAYS = 12; // that are listed

const known = (low: number, high: number) => low === high;

function worth(low: number, high: number, isWin: boolean, t: Translate): string {
  if (!known(low, high)) return isWin ? t("unknown") : `${signed(low)} … ${signed(high)}`;
  if (!isWin) return signed(low);
  return t(low > 0 ? "winning" : low < 0 ? "losing" : "A draw");
}

function result(found: Endgame, name: (seat: number) => string, t: Translate): string {
  const { low, high, player, teams, is_win } = found;
  if (!known(low, high) && (is_win || low < 0)) {
    return fill(t("Unknown: {} positions in {} s do not decide it."), found.positions.toLocaleString(), found.seconds.toFixed(1));
  }
  if (!is_win) return fill(t("{} gets {} if all play perfectly."), name(player), worth(low, high, is_win, t));
  if (low === 0) return t("A draw");
  const winners = teams.map((_, seat) => seat).filter((seat) => (teams[seat] === teams[player]) === (low > 0));
  return fill(t("A forced win of {}."), winners.map(name).join(" + "));
}

// `again` searches for a longer time.
export function EndgamePanel({ endgame, game, name, again, t }: {
  endgame: Endgame | null;
  game: Game;
  name: (seat: number) => string;
  again?: () => void;
  t: Translate;
}) {
  const found = endgame;
  const decided = found?.plays?.some((play) => known(play.low, play.high)); // of some play at least
  return (
    <section class="endgame" aria-label={t("Open hands, exact")}>
      <h3>{t("Open hands, exact")}</h3>
      {!found ? <Waiting game={game} stage="endgames" t={t} /> : found.error ? <p class="error" role="alert">{found.error}</p> : (
        <>
          <p class="forced" role="status"><b>{result(found, name, t)}</b> <small>{t("As if everybody saw all cards and played perfectly.")}{new Set(found.teams).size > 2 ? ` ${t("All others play against the player to act.")}` : ""}</small></p>
          {again && !known(found.low, found.high) ? <button type="button" id="search-longer" onClick={again}>{t("Search for 10 seconds")}</button> : null}
          {found.line.length ? (
            <ol class="line">{found.line.map((move, i) => (
              <li key={i}><small>{name(move.player)}</small> {move.cards.length
                ? <span class="mini" role="img" aria-label={t(move.text)}>{move.cards.map((card, k) => <Card key={k} card={card} faces={game.faces} />)}</span>
                : <b>{t(move.text)}</b>}</li>
            ))}</ol>
          ) : null}
          {decided ? <ul class="values worths">{found.plays.slice(0, MOST_PLAYS).map((play) => (
            <li key={play.id}><b>{t(play.text)}</b> <span class="number">{worth(play.low, play.high, found.is_win, t)}</span></li>
          ))}</ul> : null}
          {decided && found.plays.length > MOST_PLAYS ? <p><small>+ {found.plays.length - MOST_PLAYS}</small></p> : null}
        </>
      )}
    </section>
  );
}
