// Cards beside one another, as close as the width demands, in more than one line if need be.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Card, cardName } from "./cards";
import { useSwipe } from "./swipe";
import type { Translate } from "./strings";
import type { Game } from "./types";

export const GAP = " "; // in place of a card, between the parts of an arranged hand
const LOW = 500; // pixels: height below which a screen is a phone on its side
const NARROW = 560; // pixels: width below which a hand takes two lines
const SLIM = 640; // pixels: width of a screen below which others' cards are smaller
const ASPECT = 1.4; // height of a card divided by its width
const EDGE = 4; // pixels beside the cards for shadows
const FIRST_WIDTH = 600; // pixels, until the width is measured
const MOST_IN_LINE = 11; // cards of a hand in one line of a narrow screen
const LEGIBLE = 12; // pixels of an open card that show its rank
const RANK_HEIGHT = 24; // pixels of a line of open cards that the next line leaves free
const LIFT = 0.24; // lift of chosen cards, as a share of the width of a card
const BEND = 14; // bend of a hand: this many pixels divided by the number of its cards
const MOST_BACKS = 20; // cards face down that are drawn

// What the cards are: the own hand, the hand of another or cards in the middle, or a play on the table.
export type Use = "hand" | "row" | "play";
const WIDTHS: Record<Use, { wide: number; slim: number; low: number }> = {
  hand: { wide: 86, slim: 58, low: 56 },
  row: { wide: 44, slim: 40, low: 38 },
  play: { wide: 66, slim: 48, low: 42 },
};
const BACK = { wide: 44, slim: 28, low: 28 }; // pixels: width of a card face down
const OVERLAP: Record<Use, number> = { hand: 0.62, row: 0.7, play: 0.56 }; // widest step between cards, as a share of their width
const CLOSE = 0.46; // the same for many cards, or those face down
const FEW = 8;

const screen = () => (innerHeight < LOW ? "low" : innerWidth < SLIM ? "slim" : "wide");

function widthOf(use: Use, isHidden: boolean, width: number): number {
  if (use === "hand") return WIDTHS.hand[innerHeight < LOW ? "low" : width < NARROW ? "slim" : "wide"];
  return (isHidden ? BACK : WIDTHS[use])[screen()];
}

// How many lines keep the ranks of the cards legible.
function linesOf(use: Use, isHidden: boolean, number: number, size: number, width: number): number {
  if (use === "hand") return innerHeight >= LOW && width < NARROW && number > MOST_IN_LINE ? 2 : 1;
  if (isHidden) return 1;
  const most = Math.max(1, Math.floor((width - size - EDGE) / LEGIBLE) + 1);
  return Math.ceil(number / most);
}

// With `toggle` the cards can be chosen: a click calls `tap`, a swipe `toggle` with the index of a card;
// `chosen` ones are lifted.
export function Fan({ cards, game, t, use = "hand", chosen, toggle, tap, label }: {
  cards: string[];
  game: Game;
  t: Translate;
  use?: Use;
  chosen?: Set<number>;
  toggle?: (index: number) => void;
  tap?: (index: number) => void;
  label?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setWidth(element.clientWidth || FIRST_WIDTH);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const swipe = useSwipe(toggle);
  const found = cards.filter((card) => card !== GAP);
  if (!found.length) return <div class="fan" ref={box} />;
  const isHidden = found.every((card) => card === "");
  const shown = isHidden ? found.slice(0, MOST_BACKS) : found;
  const size = widthOf(use, isHidden, width);
  const lines = linesOf(use, isHidden, shown.length, size, width);
  const per = Math.ceil(shown.length / lines);
  const widest = size * (use === "row" && (isHidden || per > FEW) ? CLOSE : OVERLAP[use]);
  const step = per > 1 ? Math.min(widest, (width - size - EDGE) / (per - 1)) : size;
  const middle = (per - 1) / 2;
  const height = size * ASPECT;
  const bend = lines === 1 && toggle && per > 3 ? BEND / per : 0;
  const styleOf = (i: number, index: number) => {
    const off = i - middle;
    const up = (bend * off * off) / 7 - (chosen?.has(index) ? size * LIFT : 0);
    return { left: `${i * step}px`, width: `${size}px`, transform: `translateY(${up}px) rotate(${off * bend * 0.5}deg)`, zIndex: i, "--i": index };
  };
  return (
    <div class={`fan ${use}${toggle ? " own" : ""}`} ref={box} role={toggle ? "group" : "img"} {...swipe}
      aria-label={label ?? (isHidden ? `${found.length} ${t("cards")}` : shown.map((card) => cardName(card, game.faces, t)).join(", "))}>
      {Array.from({ length: lines }, (_, line) => {
        const row = shown.slice(line * per, (line + 1) * per);
        const above = line && use !== "hand" ? { marginTop: `${RANK_HEIGHT - height}px` } : {};
        return (
          <div class="line" key={line} style={{ width: `${size + step * (row.length - 1)}px`, height: `${height}px`, ...above }}>
            {row.map((card, i) => {
              const index = line * per + i;
              const style = styleOf(i, index);
              if (!toggle) return <span class={`slot${chosen?.has(index) ? " chosen" : ""}`} style={style} key={index}><Card card={card} faces={game.faces} /></span>;
              return (
                <button class={`slot${chosen?.has(index) ? " chosen" : ""}`} style={style} key={index} data-card={card}
                  type="button" role="checkbox" aria-checked={chosen?.has(index) ?? false} data-index={index}
                  aria-label={cardName(card, game.faces, t)} onClick={() => (tap ?? toggle)(index)}>
                  <Card card={card} faces={game.faces} />
                </button>
              );
            })}
          </div>
        );
      })}
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
