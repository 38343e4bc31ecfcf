// The messages of the server; see closedhand/web: serialization.py, catalogue.py, lobby.py, hints.py.

export interface Action {
  id: number;
  text: string;
  cards: string[];
  kind: string; // of play, a term of the game; may be empty
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
  kind: string;
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
  player: number; // the same when seats rotate
}

export interface Hand {
  returns: number[];
  players: number[];
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
  sides: number[];
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
  has_rules: boolean;
  levels: boolean; // whether opponents are offered by strength
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

export interface Value extends Action {
  tries: number;
  mean: number;
  low: number | null;
  high: number | null;
}

export interface Hint {
  about: number; // the position: a version, or the number of actions
  by: string;
  action: Action | null;
  basis: string; // of the values: exact, search, playouts or random
  values: Value[];
  shares: (Action & { share: number })[];
  ratings: (Action & { rating: number })[];
  done: boolean;
  error?: string;
}

// The expected number of each card in every hidden hand.
export interface Chances {
  about: number;
  cards: string[];
  error?: string;
  seats: { seat: number; label: string; chances: number[] }[];
  number: number;
}

// A game of a file; without a record if it cannot be replayed.
export interface ListedGame {
  game: string;
  agents: string[];
  returns: number[];
  record: string | null;
  error: string;
}

export interface ReplayData {
  game: string;
  agents: string[];
  returns: number[];
  record: string;
  players: number;
  moves: (Move & Action)[];
  sides: number[];
  judged?: Judged[];
}

// The value of a position, and the cost of the play made there.
export interface Judged {
  ply: number;
  values: [number, number][] | null;
  play: { verdict: string; best: Action | null; cost: number; low: number | null; high: number | null; number: number } | null;
}

// The rules of a game in words: sections with examples, see closedhand/core/rulebook.py.
export interface RuleSection {
  title: string;
  text: string[];
  plays: { name: string; cards: string[] }[];
}
