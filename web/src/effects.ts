// Motion and sound of the table, and the switch for both. Sounds are made, not loaded.

import { useEffect, useRef, useState } from "preact/hooks";
import { tone } from "./outcome";
import type { Table } from "./types";

const KEY = "effects";
const VOLUME = 0.12;
const DEAL_TIME = 900; // milliseconds for which new cards move

// Notes as frequency in Hz, start and length in seconds; a noise has frequency 0.
type Note = [number, number, number];
const SOUNDS: Record<string, Note[]> = {
  deal: [0, 1, 2, 3, 4].map((i) => [0, i * 0.07, 0.04]),
  play: [[0, 0, 0.06], [220, 0, 0.05]],
  word: [[330, 0, 0.07]], // a pass, a bid or another action without cards
  strike: [[110, 0, 0.3], [0, 0, 0.25], [165, 0.08, 0.3]],
  turn: [[660, 0, 0.08], [880, 0.09, 0.12]],
  won: [[523, 0, 0.14], [659, 0.13, 0.14], [784, 0.26, 0.3]],
  lost: [[392, 0, 0.18], [311, 0.17, 0.35]],
  drawn: [[440, 0, 0.14], [440, 0.18, 0.2]],
};

export const isOn = () => localStorage.getItem(KEY) !== "off";
const show = () => { document.documentElement.dataset.effects = isOn() ? "on" : "off"; };

export function useSwitch(): [boolean, () => void] {
  const [on, setOn] = useState(isOn);
  useEffect(show, [on]);
  const change = () => {
    localStorage.setItem(KEY, on ? "off" : "on");
    setOn(!on);
  };
  return [on, change];
}

let audio: AudioContext | null = null;
let noise: AudioBuffer | null = null;

function hiss(context: AudioContext): AudioBufferSourceNode {
  if (!noise) {
    noise = context.createBuffer(1, context.sampleRate / 2, context.sampleRate);
    const samples = noise.getChannelData(0);
    for (let i = 0; i < samples.length; i += 1) samples[i] = 2 * Math.random() - 1;
  }
  const source = context.createBufferSource();
  source.buffer = noise;
  return source;
}

function sound(name: string): void {
  // Browsers allow sound only after a click or a key. Behind another window only one's turn is heard.
  if (!isOn() || (document.hidden && name !== "turn") || !navigator.userActivation?.hasBeenActive) return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") void audio.resume();
  for (const [frequency, start, length] of SOUNDS[name]) {
    const source = frequency ? audio.createOscillator() : hiss(audio);
    if (source instanceof OscillatorNode) {
      source.type = "triangle";
      source.frequency.value = frequency;
    }
    const gain = audio.createGain();
    const at = audio.currentTime + start;
    gain.gain.setValueAtTime(VOLUME, at);
    gain.gain.exponentialRampToValueAtTime(0.001, at + length);
    source.connect(gain).connect(audio.destination);
    source.start(at);
    source.stop(at + length);
  }
}

interface Seen { hand: string; moves: number; last: string; marks: string; over: boolean; asked: boolean }

function seen(table: Table): Seen {
  const { position } = table;
  const last = position.moves[position.moves.length - 1];
  return {
    hand: `${table.table} ${table.deal} ${table.turn}`,
    moves: position.moves.length,
    last: last?.cards.length ? "play" : "word",
    marks: position.rows.filter((row) => row.seat < 0).flatMap((row) => row.marks).join(),
    over: position.over,
    asked: table.asked,
  };
}

// What a change of the table sounds like; a play that changes the facts in the middle, such as a
// bomb or a revolution, strikes.
function soundOf(before: Seen | null, now: Seen, table: Table): string {
  if (!before || before.hand !== now.hand) return "deal";
  if (now.over && !before.over && table.seat >= 0) return ["lost", "drawn", "won"][1 + tone(table.position.returns!, table.seat)];
  if (now.moves > before.moves) return now.last === "play" && now.marks !== before.marks ? "strike" : now.asked ? "turn" : now.last;
  return "";
}

// Makes the sounds of a table; returns whether its cards are being dealt.
export function useEffects(table: Table): boolean {
  const before = useRef<Seen | null>(null);
  const [dealt, setDealt] = useState("");
  const now = seen(table);
  useEffect(() => {
    const name = soundOf(before.current, now, table);
    before.current = now;
    if (name) sound(name);
  }, [table.version]);
  useEffect(() => {
    setDealt(now.hand);
    const timer = setTimeout(() => setDealt(""), DEAL_TIME);
    return () => clearTimeout(timer);
  }, [now.hand]);
  return dealt === now.hand && now.moves < 2;
}

const TITLE = "closedhand"; // of the window, while it is not this person's turn
const BLINK = 1000;

// Says in the title that it is this person's turn; it flashes while another window is in front.
export function useTitle(text: string): void {
  useEffect(() => {
    if (!text) return;
    let lit = true;
    document.title = text;
    const timer = setInterval(() => {
      lit = !document.hidden || !lit;
      document.title = lit ? text : TITLE;
    }, BLINK);
    return () => {
      clearInterval(timer);
      document.title = TITLE;
    };
  }, [text]);
}
