// Hints: values of plays, and chances of hidden cards.

import { adviser } from "./advice";
import { Interval } from "./agents";
import { Card, cardName } from "./cards";
import { useAgents, useShared } from "./context";
import { occupant } from "./felt";
import { fixed } from "./outcome";
import { Waiting } from "./preparation";
import { Scroll } from "./scroll";
import type { Translate } from "./strings";
import { gapNumber, valueText } from "./turns";
import type { Action, Chances, Game, Hint, SeatHolder, Value } from "./types";

const number = (text: string) => (Number(text) > 0 ? `+${text}` : text);
const percent = (share: number) => `${(100 * share).toFixed(0)} %`;

const BASIS: Record<string, string> = {
  exact: "exact, by the strategy of", search: "by the search of", playouts: "by playouts of the game's policy", random: "by random playouts",
};
const NAMED = new Set(["exact", "search"]);

// A choice by its cards, or a mixture by the shares of its actions.
function Choice({ hint, game, t, use }: { hint: Hint; game: Game; t: Translate; use: (action: Action) => void }) {
  const mixed = hint.shares.filter((each) => each.share >= 0.01);
  if (mixed.length > 1) {
    return <ul class="shares mixture">{mixed.map((each) => (
      <li key={each.text}><button type="button" onClick={() => use(each)}><b>{t(each.text)}</b></button> <meter min={0} max={1} value={each.share} aria-label={t(each.text)} /> {percent(each.share)}</li>
    ))}</ul>;
  }
  const action = hint.action!;
  return (
    <button type="button" class="advice" onClick={() => use(action)}>
      <b>{t(action.text)}</b>
      <span class="mini">{action.cards.slice(0, 20).map((card, i) => <Card key={i} card={card} faces={game.faces} />)}</span>
    </button>
  );
}

function Values({ hint, t, use }: { hint: Hint; t: Translate; use: (action: Action) => void }) {
  const values = hint.values;
  const low = Math.min(...values.map((v) => v.low ?? v.mean));
  const high = Math.max(...values.map((v) => v.high ?? v.mean));
  const compared = hint.basis === "exact" ? "" : `, ${t("compared with")} ${t(hint.action!.text)}`;
  const tries = values.find((v) => v.id === hint.action!.id)?.tries ?? 0;
  const isChance = hint.unit === "chance";
  // Exact values are chances or points themselves, all others are gaps.
  const shown = (v: Value) => (isChance && hint.basis === "exact" ? valueText(v.mean, hint.unit) : `${number(gapNumber(v.mean, hint.unit))}${isChance ? " %" : ""}`);
  const half = (v: Value) => (v.low === null || v.high === null ? null : gapNumber((v.high - v.low) / 2, hint.unit));
  return (
    <>
      <h3>{t(isChance ? "Chance to win" : "Expected points")}{compared}{hint.done ? "" : " …"}</h3>
      <p class="basis"><small>{t(BASIS[hint.basis] ?? "")}{NAMED.has(hint.basis) ? ` ${hint.by}` : ""}{tries ? `; ${tries} ${t("deals simulated, ± is a 95% interval")}` : ""}</small></p>
      <ul class="values">{values.map((value) => (
        <li key={value.id}>
          <button type="button" onClick={() => use(value)}>{t(value.text)}</button>
          <Interval estimate={[value.mean, value.low, value.high]} low={low} high={high} />
          <span class="number" title={value.tries ? `${value.tries} ${t("simulations")}` : undefined}>{shown(value)}{half(value) === null ? null : <small> ±{half(value)}</small>}</span>
        </li>
      ))}</ul>
    </>
  );
}

function AdviserChoice({ by, game, again, t }: { by: string; game: Game; again: (by: string) => void; t: Translate }) {
  const { net } = useShared();
  const agents = useAgents(game);
  if (!net.live) return null;
  return (
    <label class="by">
      <select aria-label={t("Hint")} value={by} onChange={(e) => again(e.currentTarget.value)}>
        {agents.some((agent) => agent.text === by) ? null : <option>{by}</option>}
        {agents.map((agent) => <option key={agent.text}>{agent.text}</option>)}
      </select>
    </label>
  );
}

export function HintPanel({ hint, game, t, use, again }: {
  hint: Hint | null;
  game: Game;
  t: Translate;
  use: (action: Action) => void;
  again: (by: string) => void;
}) {
  return (
    <div class="hint-panel">
      <h2>{t("Hint")}</h2>
      <AdviserChoice by={hint?.by ?? adviser(game.name)} game={game} again={again} t={t} />
      {hint?.error ? <p class="error">{hint.error}</p> : null}
      {hint?.action ? <Choice hint={hint} game={game} t={t} use={use} /> : hint?.done ? null : <Waiting game={game} stage="hints" t={t} />}
      {hint?.ratings.length ? (
        <>
          <h3>{hint.by}: {t("its own values")}</h3>
          <ul class="values ratings">{hint.ratings.map((each) => (
            <li key={each.text}><button type="button" onClick={() => use(each)}>{t(each.text)}</button> <span class="number">{number(fixed(each.rating, 2))}</span></li>
          ))}</ul>
        </>
      ) : null}
      {hint?.values.length ? <Values hint={hint} t={t} use={use} /> : null}
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
        <Scroll label={t("What the others may hold")}><table class="heat">
          <thead><tr><th />{chances.seats.map((each) => <th key={each.seat}>{each.seat < 0 ? t(each.label) : occupant(holders[each.seat], each.seat, own, t)}</th>)}</tr></thead>
          <tbody>{chances.cards.map((card, i) => (
            <tr key={i}>
              <th aria-label={cardName(card, game.faces, t)}><Card card={card} faces={game.faces} /></th>
              {chances.seats.map((each) => (
                <td key={each.seat}><span class="heat-cell" style={{ opacity: String((0.55 * each.chances[i]) / warmest(chances)) }} /><b>{each.chances[i].toFixed(2)}</b></td>
              ))}
            </tr>
          ))}</tbody>
        </table></Scroll>
      ) : <p class="busy">…</p>}
    </div>
  );
}
