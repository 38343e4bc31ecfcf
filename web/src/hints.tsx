// Hints: what a play is worth, and what the others may hold.

import { Card, cardName } from "./cards";
import { useAgents } from "./context";
import { occupant } from "./felt";
import type { Translate } from "./strings";
import type { SeatHolder, Game, Hint, Chances } from "./types";

const number = (value: number) => `${value > 0 ? "+" : ""}${value.toFixed(2)}`;

export function HintPanel({ hint, game, t, use, again }: {
  hint: Hint | null;
  game: Game;
  t: Translate;
  use: (cards: string[], text: string) => void;
  again?: (by: string) => void;
}) {
  const agents = useAgents(game);
  const values = hint?.values ?? [];
  const low = Math.min(...values.map((v) => v.low ?? v.mean));
  const high = Math.max(...values.map((v) => v.high ?? v.mean));
  const span = Math.max(1e-9, high - low);
  const at = (value: number) => (100 * (value - low)) / span;
  return (
    <div>
      <h2>{t("Hint")}</h2>
      {again ? <label class="by">
        <select aria-label={t("Hint")} value={hint?.by ?? ""} onChange={(e) => again(e.currentTarget.value)}>
          {hint && !agents.some((agent) => agent.text === hint.by) ? <option>{hint.by}</option> : null}
          {agents.map((agent) => <option key={agent.text}>{agent.text}</option>)}
        </select>
      </label> : hint ? <p>{hint.by}</p> : null}
      {hint?.error ? <p class="error">{hint.error}</p> : null}
      {hint?.action ? (
        <button type="button" class="advice" onClick={() => use(hint.action!.cards, hint.action!.text)}>
          <b>{t(hint.action.text)}</b>
          <span class="mini">{hint.action.cards.slice(0, 20).map((card, i) => <Card key={i} card={card} faces={game.faces} />)}</span>
        </button>
      ) : hint?.done ? null : <p class="busy">…</p>}
      {hint?.shares.length ? <ul class="shares">{hint.shares.map((each) => (
        <li key={each.text}><b>{t(each.text)}</b> <meter min={0} max={1} value={each.share} /> {(100 * each.share).toFixed(0)} %</li>
      ))}</ul> : null}
      {hint?.ratings.length ? (
        <>
          <h3>{hint.by}: {t("its own values")}</h3>
          <ul class="values ratings">{hint.ratings.map((each) => (
            <li key={each.text}><button type="button" onClick={() => use(each.cards, each.text)}>{t(each.text)}</button> <span class="number">{number(each.rating)}</span></li>
          ))}</ul>
        </>
      ) : null}
      {values.length ? (
        <>
          <h3>{t("Expected points")}, {t("compared with")} {t(hint!.action!.text)}{hint?.done ? "" : " …"}</h3>
          <ul class="values">{values.map((value) => (
            <li key={value.id}>
              <button type="button" onClick={() => use(value.cards, value.text)}>{t(value.text)}</button>
              <svg class="interval" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <line x1={at(value.low ?? value.mean)} x2={at(value.high ?? value.mean)} y1="5" y2="5" />
                <path class="dot-mark" d={`M${at(value.mean)} 5h.01`} />
              </svg>
              <span class="number" title={`${value.tries} ${t("simulations")}`}>{number(value.mean)}{value.low !== null && value.high !== null ? <small> ±{((value.high - value.low) / 2).toFixed(2)}</small> : null}</span>
            </li>
          ))}</ul>
        </>
      ) : null}
    </div>
  );
}

// The largest expected number of a card in a hand: the warmest colour.
const warmest = (chances: Chances) => Math.max(1e-9, ...chances.seats.flatMap((each) => each.chances));

export function ChancesPanel({ chances, holders, own, game, t }: { chances: Chances | null; holders: SeatHolder[]; own: number; game: Game; t: Translate }) {
  return (
    <div>
      <h2>{t("What the others may hold")}</h2>
      {chances?.error ? <p class="error">{chances.error}</p> : chances ? (
        <div class="scroll"><table class="heat">
          <thead><tr><th />{chances.seats.map((each) => <th key={each.seat}>{each.seat < 0 ? t(each.label) : occupant(holders[each.seat], each.seat, own, t)}</th>)}</tr></thead>
          <tbody>{chances.cards.map((card, i) => (
            <tr key={i}>
              <th aria-label={cardName(card, game.faces, t)}><Card card={card} faces={game.faces} /></th>
              {chances.seats.map((each) => (
                <td key={each.seat}><span class="heat-cell" style={{ opacity: String((0.55 * each.chances[i]) / warmest(chances)) }} /><b>{each.chances[i].toFixed(2)}</b></td>
              ))}
            </tr>
          ))}</tbody>
        </table></div>
      ) : <p class="busy">…</p>}
    </div>
  );
}
