// Facts beside a seat or in the middle: a term, possibly with more after it. Bets and pots are chips.

import { mark, type Translate } from "./strings";

const CHIPS = /^(?:bets|pot) (\d+)$/;
const MOST_CHIPS = 8; // that are drawn

export function Mark({ text, t, chip }: { text: string; t: Translate; chip?: boolean }) {
  const number = Math.min(MOST_CHIPS, Number(CHIPS.exec(text)?.[1] ?? 0));
  return (
    <span class={chip ? `chip chip-${text.split(" ")[0]}` : "mark"}>
      {number ? <span class="chips" aria-hidden="true">{Array.from({ length: number }, (_, i) => <i key={i} />)}</span> : null}{mark(text, t)}
    </span>
  );
}
