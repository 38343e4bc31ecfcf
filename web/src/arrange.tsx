// A hand that is arranged into parts: by click, by drag, or by the keys 1, 2, 3 …

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Card, cardName } from "./cards";
import { useShared } from "./context";
import { useKeys } from "./keys";
import type { Translate } from "./strings";
import type { Game } from "./types";

const TRAY = -1;

export function Arrange({ cards, parts, game, t, table, pending, suggestion, ask, play }: {
  cards: string[];
  parts: { name: string; cards: number }[];
  game: Game;
  t: Translate;
  table: number;
  pending: boolean;
  suggestion: string | null;
  ask: () => void;
  play: (text: string) => void;
}) {
  const { net } = useShared();
  const [places, setPlaces] = useState<number[]>(() => cards.map(() => TRAY));
  const [chosen, setChosen] = useState<Set<number>>(new Set());
  const [verdict, setVerdict] = useState<{ note: string; legal: boolean } | null>(null);
  const [odds, setOdds] = useState<({ name: string; win: number; tie: number } | null)[]>([]);
  const [error, setError] = useState("");
  const drag = useRef<{ card: number; x: number; y: number; moving: boolean; element: HTMLElement } | null>(null);

  const inPart = (part: number) => cards.map((_, i) => i).filter((i) => places[i] === part);
  const free = (part: number, of = places) => parts[part].cards - of.filter((place) => place === part).length;
  const complete = places.every((place) => place !== TRAY);
  const text = parts.map((_, part) => inPart(part).map((i) => cards[i]).join("")).join("/");

  useLayoutEffect(() => {
    if (!suggestion) return;
    const fields = suggestion.split("/");
    setPlaces(cards.map((card) => fields.findIndex((field) => field.includes(card))));
    setChosen(new Set());
  }, [suggestion]);
  useEffect(() => {
    setVerdict(null);
    setError("");
    if (!complete) return;
    let current = true;
    net.ask("try", { version: table, text }).then((answer) => current && setVerdict(answer), (e) => current && setError(e.message));
    return () => { current = false; };
  }, [text, complete]);

  const full = parts.map((_, part) => free(part) === 0);
  useEffect(() => {
    let current = true;
    const texts = parts.map((_, part) => (full[part] ? inPart(part).map((i) => cards[i]).join("") : ""));
    if (texts.some(Boolean)) net.ask("odds", { parts: texts }).then((found) => current && setOdds(found), () => {});
    else setOdds([]);
    return () => { current = false; };
  }, [text]);

  const put = (which: number[], part: number) => {
    setPlaces((before) => {
      const after = [...before];
      for (const i of which) {
        if (part === TRAY || after[i] === part || free(part, after) > 0) after[i] = part;
      }
      return after;
    });
    setChosen(new Set());
  };
  // Two cards swap places if one is dropped on the other.
  const swap = (a: number, b: number) => {
    setPlaces((before) => before.map((place, i) => (i === a ? before[b] : i === b ? before[a] : place)));
    setChosen(new Set());
  };
  const click = (i: number) => {
    if (chosen.size === 1 && !chosen.has(i) && (places[i] !== places[[...chosen][0]])) swap([...chosen][0], i);
    else setChosen((before) => {
      const after = new Set(before);
      if (!after.delete(i)) after.add(i);
      return after;
    });
  };
  const key = (i: number, event: KeyboardEvent) => {
    const number = Number(event.key);
    if (number >= 1 && number <= parts.length) put(chosen.size ? [...chosen] : [i], number - 1);
    else if (event.key === "0" || event.key === "Backspace") put([i], TRAY);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const down = (i: number, event: PointerEvent) => {
    drag.current = { card: i, x: event.clientX, y: event.clientY, moving: false, element: event.currentTarget as HTMLElement };
  };
  useEffect(() => {
    const move = (event: PointerEvent) => {
      const now = drag.current;
      if (!now) return;
      const [dx, dy] = [event.clientX - now.x, event.clientY - now.y];
      if (!now.moving && Math.hypot(dx, dy) < 6) return;
      now.moving = true;
      now.element.classList.add("dragged");
      now.element.style.translate = `${dx}px ${dy}px`;
      event.preventDefault();
    };
    const up = (event: PointerEvent) => {
      const now = drag.current;
      drag.current = null;
      if (!now?.moving) return;
      now.element.classList.remove("dragged");
      now.element.style.translate = "";
      now.element.style.pointerEvents = "none";
      const under = document.elementFromPoint(event.clientX, event.clientY);
      now.element.style.pointerEvents = "";
      const card = under?.closest<HTMLElement>("[data-index]");
      const part = under?.closest<HTMLElement>("[data-part]");
      if (part && free(Number(part.dataset.part)) > 0) put([now.card], Number(part.dataset.part));
      else if (card && Number(card.dataset.index) !== now.card) swap(now.card, Number(card.dataset.index));
      else if (under?.closest(".tray")) put([now.card], TRAY);
      const stop = (click: Event) => { click.stopPropagation(); click.preventDefault(); };
      addEventListener("click", stop, { capture: true, once: true });
      setTimeout(() => removeEventListener("click", stop, { capture: true }), 0);
    };
    addEventListener("pointermove", move, { passive: false });
    addEventListener("pointerup", up);
    addEventListener("pointercancel", up);
    return () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      removeEventListener("pointercancel", up);
    };
  });

  const button = (i: number) => (
    <button type="button" key={i} class={`slot${chosen.has(i) ? " chosen" : ""}`} data-index={i} data-card={cards[i]} role="checkbox"
      aria-checked={chosen.has(i)} aria-label={cardName(cards[i], game.faces, t)}
      onClick={() => click(i)} onPointerDown={(e) => down(i, e)} onKeyDown={(e) => key(i, e)}>
      <Card card={cards[i]} faces={game.faces} />
    </button>
  );
  const submit = () => { if (!pending) play(text); };
  useKeys((event) => {
    const at = event.target as HTMLElement;
    if (event.key !== "Enter" || !complete || !verdict?.legal || (at instanceof HTMLButtonElement && !at.classList.contains("slot"))) return;
    event.preventDefault();
    submit();
  });
  const notes = verdict?.note.split(" / ") ?? [];
  return (
    <div class="arrange">
      {[...parts.keys()].reverse().map((part) => (
        <div key={part} class={`part${chosen.size && free(part) ? " open" : ""}`} data-part={part}
          onClick={(e) => { if (chosen.size && !(e.target as HTMLElement).closest(".slot")) put([...chosen], part); }}>
          <button type="button" class="part-name" aria-label={`${t(parts[part].name)} ${inPart(part).length}/${parts[part].cards}`}
            onClick={(e) => { e.stopPropagation(); chosen.size ? put([...chosen], part) : put(inPart(TRAY).slice(0, free(part)), part); }}>
            {part + 1} {t(parts[part].name)}<small>{odds[part]?.name ?? notes[part] ?? ""}</small>
            {odds[part] ? <span class="odds" data-win={odds[part]!.win} title={odds[part]!.tie ? `${t("A draw")} ${(100 * odds[part]!.tie).toFixed(1)} %` : ""}><meter min={0} max={1} value={odds[part]!.win} aria-label={t("wins")} /> {t("wins")} {(100 * odds[part]!.win).toFixed(0)} %</span> : null}
          </button>
          <div class="places">
            {inPart(part).map(button)}
            {Array.from({ length: free(part) }, (_, i) => <span class="empty" key={`e${i}`} />)}
          </div>
        </div>
      ))}
      <p class="error" role="alert">{error || (verdict && !verdict.legal ? t("these parts may not be set so") : "")}</p>
      <div class="tray" role="group" aria-label={t("You")}>{inPart(TRAY).map(button)}</div>
      <div class="actions">
        <button type="button" class="primary" id="set" disabled={pending || !complete || !verdict?.legal} onClick={submit}>{t("Set")}</button>
        <button type="button" id="suggest" onClick={() => ask()}>{t("Hint")}</button>
        <button type="button" onClick={() => { setPlaces(cards.map(() => TRAY)); setChosen(new Set()); }}>{t("Take back")}</button>
      </div>
    </div>
  );
}
