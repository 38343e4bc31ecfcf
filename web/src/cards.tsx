// Cards as SVG, drawn from paths; they need no font beyond the system's.

import { useMemo } from "preact/hooks";

const SUITS: Record<string, { path: string; name: string }> = {
  s: { path: "M12 2C8 8 2.500 11 2.500 15.500a4.500 4.500 0 0 0 8 2.800C10.300 20.500 9.500 22 8 23h8c-1.500-1-2.300-2.500-2.500-4.700a4.500 4.500 0 0 0 8-2.800C21.500 11 16 8 12 2z", name: "♠" },
  h: { path: "M12 22C6 17 2 13.500 2 8.800A5.300 5.300 0 0 1 7.300 3.500c2 0 3.800 1.100 4.700 2.900.9-1.800 2.700-2.900 4.700-2.900A5.300 5.300 0 0 1 22 8.800C22 13.500 18 17 12 22z", name: "♥" },
  d: { path: "M12 1.500C14.500 5.500 17 8.700 20.500 12 17 15.300 14.500 18.500 12 22.500 9.500 18.500 7 15.300 3.500 12 7 8.700 9.500 5.500 12 1.500z", name: "♦" },
  c: { path: "M12 2a4.800 4.800 0 0 0-4.300 7A4.800 4.800 0 1 0 10.600 17c-.2 2.600-1 4.700-2.600 6h8c-1.600-1.300-2.400-3.400-2.600-6a4.800 4.800 0 1 0 2.900-8A4.800 4.800 0 0 0 12 2z", name: "♣" },
};

const CROWN = "M3 19 1 7l6 4 5-8 5 8 6-4-2 12z";
const STAR = "M12 1l3.100 7 7.600.700-5.700 5 1.700 7.400L12 17.200 5.300 21.100 7 13.700 1.300 8.700 8.900 8z";

export interface Face {
  rank: string;
  suit: string;
  joker: boolean;
}

export function face(card: string, faces: Record<string, string>): Face {
  const text = faces[card] ?? card;
  if (text === "joker" || text === "JOKER") return { rank: text, suit: "", joker: true };
  const suited = /^(10|[2-9TJQKA])([cdhs])$/.exec(text);
  const [rank, suit] = suited ? [suited[1], suited[2]] : [text, ""];
  return { rank: rank === "T" ? "10" : rank, suit, joker: false };
}

export function cardName(card: string, faces: Record<string, string>, t: (k: string) => string): string {
  if (!card) return t("hidden card");
  const { rank, suit, joker } = face(card, faces);
  if (joker) return t(rank === "JOKER" ? "joker" : "small joker");
  return suit ? `${rank} ${t(suit)}` : rank;
}

function Suit({ suit, x, y, size, turned }: { suit: string; x: number; y: number; size: number; turned?: boolean }) {
  const turn = turned ? ` rotate(180 12 12)` : "";
  return <path d={SUITS[suit].path} transform={`translate(${x - size / 2} ${y - size / 2}) scale(${size / 24})${turn}`} />;
}

// Columns at 20, 35 and 50 of 70; rows of the usual arrangement.
const PIPS: Record<string, [number, number][]> = {
  A: [[35, 49]],
  2: [[35, 24], [35, 74]],
  3: [[35, 24], [35, 49], [35, 74]],
  4: [[23, 24], [47, 24], [23, 74], [47, 74]],
  5: [[23, 24], [47, 24], [35, 49], [23, 74], [47, 74]],
  6: [[23, 24], [47, 24], [23, 49], [47, 49], [23, 74], [47, 74]],
  7: [[23, 24], [47, 24], [35, 36], [23, 49], [47, 49], [23, 74], [47, 74]],
  8: [[23, 24], [47, 24], [35, 36], [23, 49], [47, 49], [35, 62], [23, 74], [47, 74]],
  9: [[23, 22], [47, 22], [23, 40], [47, 40], [35, 49], [23, 58], [47, 58], [23, 76], [47, 76]],
  10: [[23, 22], [47, 22], [35, 31], [23, 40], [47, 40], [23, 58], [47, 58], [35, 67], [23, 76], [47, 76]],
};

function Court({ rank, suit }: { rank: string; suit: string }) {
  return (
    <g>
      <rect class="frame" x="17" y="15" width="36" height="68" rx="3" />
      <path class="frame" d="M17 49h36M17 83 53 15" />
      <g class="gold"><path d={CROWN} transform="translate(26 19) scale(.75)" /></g>
      <text class="court" x="35" y="60">{rank}</text>
      {suit ? <><Suit suit={suit} x={24} y={72} size={11} /><Suit suit={suit} x={46} y={72} size={11} /></> : null}
    </g>
  );
}

function Inside({ rank, suit, joker }: Face) {
  if (joker) {
    return (
      <g>
        <path d={STAR} transform="translate(15 28) scale(1.67)" class={rank === "JOKER" ? "gold" : ""} />
        <text class="jester" x="35" y="84">JOKER</text>
      </g>
    );
  }
  if (["J", "Q", "K"].includes(rank)) return <Court rank={rank} suit={suit} />;
  if (!suit) {
    return (
      <g>
        <ellipse class="frame" cx="35" cy="53" rx="21" ry="30" />
        <text class={rank.length > 2 ? "court long" : "court"} x="35" y="65">{rank}</text>
      </g>
    );
  }
  const size = rank === "A" ? 34 : 14;
  return <g>{(PIPS[rank] ?? PIPS.A).map(([x, y]) => <Suit suit={suit} x={x} y={y} size={size} turned={y > 50} />)}</g>;
}

function Corner({ rank, suit, joker }: Face) {
  if (joker) {
    return <g>{[..."JOKER"].map((letter, i) => <text class="tiny" x="8.500" y={13 + 9 * i}>{letter}</text>)}</g>;
  }
  return (
    <g>
      <text class={rank === "10" ? "rank ten" : rank.length > 2 ? "rank long" : "rank"} x="9.500" y="18">{rank}</text>
      {suit ? <Suit suit={suit} x={9.5} y={28} size={12} /> : null}
    </g>
  );
}

function draw(card: string, faces: Record<string, string>) {
  if (!card) {
    return (
      <svg class="card back" viewBox="0 0 70 98" aria-hidden="true">
        <rect class="paper" x=".5" y=".5" width="69" height="97" rx="7" />
        <rect class="blue" x="4" y="4" width="62" height="90" rx="4" />
        <path class="lattice" d="M4 25 25 4M4 46 46 4M4 67 66 5M4 88 66 26M15 94 66 47M36 94 66 68M57 94l9-5M66 25 45 4M66 46 24 4M66 67 4 5M66 88 4 26M55 94 4 47M34 94 4 68M13 94l-9-5" />
      </svg>
    );
  }
  const found = face(card, faces);
  const tint = found.joker ? (found.rank === "JOKER" ? "h" : "s") : found.suit || "n";
  return (
    <svg class={`card tint-${tint}`} viewBox="0 0 70 98" aria-hidden="true">
      <rect class="paper" x=".5" y=".5" width="69" height="97" rx="7" />
      <Corner {...found} />
      <Inside {...found} />
      <g transform="rotate(180 35 49)"><Corner {...found} /></g>
    </svg>
  );
}

// A card; an element that stays the same is not drawn again.
export function Card({ card, faces }: { card: string; faces: Record<string, string> }) {
  return useMemo(() => <span class="card-box">{draw(card, faces)}</span>, [card, faces]);
}
