// The messages of the server; see closedhand/web/serialization.py, lobby.py and hints.py.

export interface Action {
  id: number;
  text: string;
  cards: string[];
}

export interface Row {
  label: string;
  seat: number;
  role: string;
  cards: string[];
  note: string;
  marks: string[];
  active: boolean;
}

export interface Move {
  player: number;
  text: string | null;
  cards: string[];
}

export interface Position {
  ply?: number; // in a replay
  rows: Row[];
  moves: Move[];
  player: number;
  over: boolean;
  returns: number[] | null;
  legal: Action[] | null;
  number: number;
  parts: { name: string; cards: number }[];
}

export interface SeatHolder {
  agent: string;
  name: string;
  person: boolean;
}

export interface Hand {
  returns: number[];
  occupants: string[];
  deal: number;
  turn: number;
}

export interface Table {
  table: string;
  version: number;
  game: string;
  seat: number;
  seats: SeatHolder[];
  position: Position;
  asked: boolean; // whether this person is to decide now
  pace: number;
  open: boolean;
  trouble: string;
  deal: number;
  turn: number;
  hands: Hand[];
  roles: string[];
  options: Record<string, unknown>;
  remote: boolean; // played at the server of a competition
  links: { tokens: string[]; watch: string } | null; // for its owner
}

export interface Option {
  name: string;
  default: unknown;
  text: string;
  values: string;
  choices: string[];
  kind: string;
}

export interface Game {
  name: string;
  title: string;
  players: number;
  options: Option[];
  opponent: string;
  terms: Record<string, Record<string, string>>;
  faces: Record<string, string>;
  simultaneous: boolean;
  facts: string[];
}

// The gain of an agent over the usual opponent in its place: means with 95% intervals.
export interface Strength {
  against: string;
  deals: number;
  rounds: number;
  points: [number, number, number];
  won: [number, number, number] | null;
}

export interface Agent {
  text: string;
  microseconds: number | null;
  clocked?: boolean;
  strength?: Strength | null;
}

export interface Value {
  id: number;
  text: string;
  cards: string[];
  tries: number;
  mean: number;
  low: number | null;
  high: number | null;
}

export interface Hint {
  by: string;
  action: Action | null;
  values: Value[];
  shares: { text: string; cards: string[]; share: number }[];
  ratings: { text: string; cards: string[]; rating: number }[];
  done: boolean;
  error?: string;
}

// The expected number of each card in every hidden hand.
export interface Chances {
  cards: string[];
  error?: string;
  seats: { seat: number; label: string; chances: number[] }[];
  number: number;
}
