// The table: seats around it, their last plays, and the public cards in the middle.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Card, cardName } from "./cards";
import { useSwipe } from "./swipe";
import { signed, toneClass } from "./outcome";
import { mark, type Translate } from "./strings";
import type { SeatHolder, Game, Move, Position, Row } from "./types";

const GAP = " "; // in place of a card, between the parts of an arranged hand
const LOW = 500; // height of a phone on its side

// Cards beside one another, as close as the width demands; on narrow screens in two rows. With `toggle`
// they are the own hand: a click calls it with the index of the card, and `chosen` ones are lifted.
export function Fan({ cards, game, t, small, chosen, toggle, label }: {
  cards: string[];
  game: Game;
  t: Translate;
  small?: boolean;
  chosen?: Set<number>;
  toggle?: (index: number) => void;
  label?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setWidth(element.clientWidth || 600);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const swipe = useSwipe(toggle);
  const shown = cards.filter((card) => card !== GAP);
  if (!shown.length) return <div class="fan" ref={box} />;
  const size = small ? 44 : innerHeight < LOW ? 56 : width < 560 ? 58 : 86;
  const lines = !small && width < 560 && shown.length > 11 ? 2 : 1;
  const per = Math.ceil(shown.length / lines);
  const step = per > 1 ? Math.min(size * (toggle ? 0.62 : per <= 8 && cards[0] !== "" ? 0.7 : 0.46), (width - size - 4) / (per - 1)) : size;
  const middle = (per - 1) / 2;
  const rows = Array.from({ length: lines }, (_, line) => shown.slice(line * per, (line + 1) * per));
  return (
    <div class={`fan${small ? " small" : ""}${toggle ? " own" : ""}`} ref={box} role={toggle ? "group" : "img"} {...swipe}
      aria-label={label ?? shown.map((card) => cardName(card, game.faces, t)).join(", ")}>
      {rows.map((row, line) => (
        <div class="line" key={line} style={{ width: `${size + step * (row.length - 1)}px`, height: `${size * 1.4}px` }}>
          {row.map((card, i) => {
            const index = line * per + i;
            const bend = lines === 1 && !small && toggle && per > 3 ? 14 / per : 0;
            const off = i - middle;
            const style = {
              left: `${i * step}px`,
              width: `${size}px`,
              transform: `translateY(${(bend * off * off) / 7 - (chosen?.has(index) ? size * 0.24 : 0)}px) rotate(${off * bend * 0.5}deg)`,
              zIndex: i,
            };
            if (!toggle) return <span class="slot" style={style} key={index}><Card card={card} faces={game.faces} /></span>;
            return (
              <button class={`slot${chosen?.has(index) ? " chosen" : ""}`} style={style} key={index} data-card={card}
                type="button" role="checkbox" aria-checked={chosen?.has(index) ?? false} data-index={index}
                aria-label={cardName(card, game.faces, t)} onClick={() => toggle(index)}>
                <Card card={card} faces={game.faces} />
              </button>
            );
          })}
        </div>
      ))}
    </div>
  );
}

// The groups of a row, separated by gaps, such as the back, middle and front of an arranged hand.
export function groups(cards: string[]): string[][] {
  const found: string[][] = [[]];
  for (const card of cards) {
    if (card === GAP) found.push([]);
    else found[found.length - 1].push(card);
  }
  return found;
}

export function occupant(holder: SeatHolder | undefined, seat: number, own: number, t: Translate): string {
  if (seat === own) return t("You");
  if (!holder) return `${t("seat")} ${seat + 1}`;
  return holder.agent || holder.name || `${t("seat")} ${seat + 1}`;
}

// The latest action of each seat, of the last moves as many as there are other seats.
export function lastMoves(position: Position): Map<number, Move> {
  const found = new Map<number, Move>();
  const seats = position.rows.filter((row) => row.seat >= 0).length;
  for (const move of position.moves.slice(-Math.max(2, seats - (position.over ? 0 : 1)))) found.set(move.player, move);
  if (!position.over && seats > 2) found.delete(position.player);
  return found;
}

export function LastPlay({ move, game, t }: { move: Move | undefined; game: Game; t: Translate }) {
  if (!move) return <div class="said" />;
  if (move.cards.length && move.cards.length < 21) {
    return <div class="said" aria-label={move.text ?? ""}><Fan cards={move.cards} game={game} t={t} small /></div>;
  }
  return <div class="said"><span class="bubble">{move.text === null ? t("hidden") : t(move.text)}</span></div>;
}

function Seat({ row, holder, own, move, game, t, returns, turn }: {
  row: Row;
  holder?: SeatHolder;
  own: number;
  move?: Move;
  game: Game;
  t: Translate;
  returns: number[] | null;
  turn: boolean;
}) {
  const hidden = row.cards.length > 0 && row.cards.every((card) => card === "");
  const count = row.cards.filter((card) => card !== GAP).length;
  const parts = groups(row.cards);
  return (
    <section class={`seat${turn ? " turn" : ""}`} aria-label={occupant(holder, row.seat, own, t)}>
      <header>
        <span class="avatar" aria-hidden="true">{(occupant(holder, row.seat, own, t)[0] ?? "?").toUpperCase()}</span>
        <span class="who">
          <b>{occupant(holder, row.seat, own, t)}</b>
          <small>{[row.role && t(row.role), ...row.marks.map((text) => mark(text, t))].filter(Boolean).join(" · ")}</small>
        </span>
        {count > 1 ? <span class="count" title={t("cards")}>{count}</span> : null}
        {returns !== null ? <span class={toneClass(returns, row.seat)}>{signed(returns[row.seat])}</span> : null}
      </header>
      {parts.length > 1
        ? <div class="board">{parts.map((part, i) => <Fan key={i} cards={part} game={game} t={t} small />)}</div>
        : count > 0 ? <Fan cards={hidden && count > 6 ? row.cards.slice(0, Math.min(count, 20)) : row.cards} game={game} t={t} small label={hidden ? `${count} ${t("cards")}` : undefined} /> : null}
      {row.note && parts.length > 1 ? <p class="note">{row.note}</p> : null}
      <LastPlay move={parts.length > 1 || game.simultaneous ? undefined : move} game={game} t={t} />
    </section>
  );
}

export function Felt({ position, holders, own, game, t, children }: {
  position: Position;
  holders: SeatHolder[];
  own: number;
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
  return (
    <div class={`felt players-${around.length}${game.simultaneous ? " simultaneous" : ""}`}>
      <div class="around">
        {around.map((row) => (
          <Seat key={row.seat} row={row} holder={holders[row.seat]} own={own} move={last.get(row.seat)} game={game} t={t}
            turn={position.player === row.seat} returns={position.over ? position.returns : null} />
        ))}
      </div>
      <div class="middle">
        {zones.map((zone) => (
          <section class="zone" key={zone.label} aria-label={t(zone.label)}>
            <h3>{t(zone.label)}</h3>
            {zone.cards.some((card) => card !== GAP) ? <Fan cards={zone.cards} game={game} t={t} small /> : null}
            <p>{zone.marks.map((text) => <span class={`chip chip-${text.split(" ")[0]}`} key={text}>{mark(text, t)}</span>)}</p>
          </section>
        ))}
      </div>
      {children}
    </div>
  );
}
