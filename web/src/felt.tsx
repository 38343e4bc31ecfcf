// The table: seats around it, their plays before them, and the public cards in the middle.

import type { ComponentChildren } from "preact";
import { indicesOf } from "./choice";
import { Fan, GAP, groups } from "./fan";
import { Mark } from "./marks";
import { signed, toneClass } from "./outcome";
import type { Translate } from "./strings";
import type { SeatHolder, Game, Move, Position, Row } from "./types";

const MOST_DRAWN = 20; // cards of a play that are drawn; a longer one is written

export function occupant(holder: SeatHolder | undefined, seat: number, own: number, t: Translate): string {
  if (seat === own) return t("You");
  if (!holder) return `${t("seat")} ${seat + 1}`;
  return holder.agent || holder.name || `${t("seat")} ${seat + 1}`;
}

// The players of a record, where a person without a name is "person".
export const recorded = (names: string[], t: Translate) => names.map((name) => (name === "person" ? t(name) : name));

// The latest action of each seat, from the last moves: one for each other seat, or for all at the end.
export function lastMoves(position: Position): Map<number, Move> {
  const found = new Map<number, Move>();
  const seats = position.rows.filter((row) => row.seat >= 0).length;
  for (const move of position.moves.slice(-Math.max(2, seats - (position.over ? 0 : 1)))) found.set(move.player, move);
  if (!position.over && seats > 2) found.delete(position.player);
  return found;
}

// The latest action of a seat; `from` is where its player sits, so that it moves in from there.
export function LastPlay({ move, from, game, t }: { move: Move | undefined; from: "above" | "below"; game: Game; t: Translate }) {
  if (!move) return <div class="said" />;
  const drawn = move.cards.length > 0 && move.cards.length <= MOST_DRAWN;
  return (
    <div class={`said from-${from}`} key={`${move.text}`} aria-label={drawn ? move.text ?? "" : undefined} role={drawn ? "group" : undefined}>
      {drawn ? <Fan cards={move.cards} game={game} t={t} use="play" /> : <span class="bubble">{move.text === null ? t("hidden") : t(move.text)}</span>}
    </div>
  );
}

function Seat({ row, holder, own, isAlone, move, advised, game, t, returns, turn }: {
  row: Row;
  holder?: SeatHolder;
  own: number;
  isAlone: boolean; // the only other seat
  move?: Move;
  advised?: string[]; // cards of a play, to be lifted
  game: Game;
  t: Translate;
  returns: number[] | null;
  turn: boolean;
}) {
  const count = row.cards.filter((card) => card !== GAP).length;
  const parts = groups(row.cards);
  const isBoard = parts.length > 1 && count > 0; // a hand sorted into parts
  const name = occupant(holder, row.seat, own, t);
  const isOpponent = isAlone && own >= 0 && !!holder?.agent;
  return (
    <section class={`seat${turn ? " turn" : ""}`} aria-label={name}>
      <div class="holder">
        <header>
          <span class="avatar" aria-hidden="true">{([...name][0] ?? "?").toUpperCase()}</span>
          <span class="who">
            <b>{isOpponent ? t("Opponent") : name}</b>
            <small>{isOpponent ? `${name} ` : ""}{row.role ? `${t(row.role)} ` : ""}{row.marks.map((text) => <Mark key={text} text={text} t={t} />)}</small>
          </span>
          {count > 1 ? <span class="count" title={t("cards")}>{count}</span> : null}
          {returns !== null ? <span class={toneClass(returns, row.seat)}>{signed(returns[row.seat])}</span> : null}
        </header>
        {isBoard
          ? <div class="board">{parts.map((part, i) => <Fan key={i} cards={part} game={game} t={t} use="row" />)}</div>
          : count > 0 ? <Fan cards={row.cards} game={game} t={t} use="row" chosen={advised && indicesOf(advised, row.cards)} /> : null}
        {row.note && isBoard ? <p class="note">{row.note}</p> : null}
      </div>
      <LastPlay move={isBoard || game.simultaneous ? undefined : move} from="above" game={game} t={t} />
    </section>
  );
}

function Zone({ zone, game, t }: { zone: Row; game: Game; t: Translate }) {
  return (
    <section class="zone" aria-label={t(zone.label)}>
      <h3>{t(zone.label)}</h3>
      {zone.cards.some((card) => card !== GAP) ? <Fan cards={zone.cards} game={game} t={t} use="row" /> : null}
      <p>{zone.marks.map((text) => <Mark key={text} text={text} t={t} chip />)}</p>
    </section>
  );
}

export function Felt({ position, holders, own, advised, game, t, children }: {
  position: Position;
  holders: SeatHolder[];
  own: number;
  advised?: string[]; // cards of the play that the player to act had better make
  game: Game;
  t: Translate;
  children?: ComponentChildren;
}) {
  const seats = position.rows.filter((row) => row.seat >= 0);
  const zones = position.rows.filter((row) => row.seat < 0);
  const at = seats.findIndex((row) => row.seat === own);
  // Clockwise play: the seats after yours are shown from the left.
  const around = at < 0 ? seats : [...seats.slice(at + 1), ...seats.slice(0, at)];
  const last = lastMoves(position);
  const isAsked = position.player === own; // whose last play is no longer of interest
  return (
    <div class={`felt players-${around.length}${game.simultaneous ? " simultaneous" : ""}`}>
      <div class="around">
        {around.map((row) => (
          <Seat key={row.seat} row={row} holder={holders[row.seat]} own={own} isAlone={around.length === 1} move={last.get(row.seat)} game={game} t={t}
            advised={position.player === row.seat ? advised : undefined} turn={position.player === row.seat} returns={position.over ? position.returns : null} />
        ))}
      </div>
      <div class="middle">
        <div class="zones">{zones.map((zone) => <Zone key={zone.label} zone={zone} game={game} t={t} />)}</div>
        {at >= 0 && !isAsked && !game.simultaneous ? <LastPlay move={last.get(own)} from="below" game={game} t={t} /> : null}
      </div>
      {children}
    </div>
  );
}
