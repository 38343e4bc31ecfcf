// The messages of the server, as closedhand/web makes them: Table, Position and Action in
// serialization.py, Game and Agent in catalogue.py, Hint in requests/hints.py and advice.py, Chances in
// advice.py, replays in study.py, RuleSection in requests/table.py.

export interface Action {
  id: number;
  text: string;
  cards: string[];
  kind: string; // of play, a term of the game; may be empty
}

// A seat, or cards in the middle; see Row in closedhand/core/display.py.
export interface Row {
  label: string;
  seat: number; // -1 for cards in the middle
  role: string;
  cards: string[]; // an empty text is a card face down, a space a gap
  note: string;
  marks: string[];
}

export interface Move {
  player: number;
  text: string | null; // null for an action that is hidden from this seat
  cards: string[];
  kind: string;
}

export interface Position {
  ply?: number; // in a replay
  rows: Row[];
  moves: Move[];
  player: number; // the seat to act; -1 after the end
  over: boolean;
  returns: number[] | null;
  legal: Action[] | null; // null unless this person is to decide, and if too many or made of parts
  number: number; // of legal actions, sent or not; 0 for who is not asked
  parts: { name: string; cards: number }[]; // into which the hand is to be sorted; mostly none
  to_beat: Move | null; // the play that lies on the table for this person to beat or to pass on
}

export interface SeatHolder {
  agent: string;
  name: string;
  person: boolean;
  player: number; // the same when seats rotate
}

// The result of a game at a table, by seat.
export interface Hand {
  returns: number[];
  players: number[];
  occupants: string[];
  deal: number;
  turn: number; // seats by which the players had been rotated on this deal
}

export interface Table {
  table: string;
  version: number; // counts changes of the game: a request names the one that it is about
  game: string;
  seat: number; // of this person; -1 for spectators
  seats: SeatHolder[];
  position: Position;
  asked: boolean; // whether this person is to decide now
  pace: number; // seconds between actions of agents; 0: at once, or paused where agents alone play
  open: boolean; // whether spectators see all hands
  trouble: string; // error of an agent that stops the game
  deal: number;
  turn: number;
  hands: Hand[];
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
  presets: Record<string, Record<string, unknown>>; // defaults of options, by the value of rules
  table_options: Record<string, string>; // of a new table, unless others are chosen
  opponent: string;
  has_rules: boolean;
  open_hands: boolean; // whether positions are built from open hands
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

// Of values: a chance to win as a payoff of 1 or -1, or points.
export type Unit = "chance" | "points";

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
  unit: Unit;
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
  unit: Unit; // of values
  solvable: boolean; // whether positions with open hands can be solved
  judged?: Judged[];
}

// The exact result of a position with open hands, see closedhand/web/open_hands.py.
export interface Endgame {
  about: number;
  error?: string;
  player: number; // to act, whose payoffs these are
  low: number; // bounds of the payoff, equal if it is known
  high: number;
  teams: number[];
  is_win: boolean; // whether payoffs are 1 and -1
  plays: (Action & { low: number; high: number })[];
  line: (Action & { player: number })[];
  seconds: number;
  positions: number;
}

// A position of a game from which on the result was forced.
export interface Forced {
  value: number; // of the player to act
  winners: number[]; // seats; none for a draw
  line: (Action & { player: number })[];
}

// The value of a position, and the cost of the play made there.
export interface Judged {
  ply: number; // -1: the end of the judgements
  error?: string;
  values: [number, number][] | null;
  forced: Forced | null;
  play: { verdict: string; best: Action | null; cost: number; low: number | null; high: number | null; number: number } | null;
}

// The rules of a game in words: sections with examples, see closedhand/core/rulebook.py.
export interface RuleSection {
  title: string;
  text: string[];
  plays: { name: string; cards: string[] }[];
}
