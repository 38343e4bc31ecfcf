// The past hands of this server's owner: how they went against each opponent, and each to be reviewed.

import { useEffect, useState } from "preact/hooks";
import { useShared } from "./context";
import { recorded } from "./felt";
import { save } from "./files";
import { answerOf } from "./net";
import { signed, toneClass } from "./outcome";
import { Scroll } from "./scroll";
import { ownSeat, statistics, type PastHand } from "./statistics";
import { translator } from "./strings";

const MOST_SHOWN = 100;

export function PastPage() {
  const { net, games, language, t } = useShared();
  const [hands, setHands] = useState<PastHand[] | null>(null);
  const [shown, setShown] = useState(MOST_SHOWN);
  const [sure, setSure] = useState(false); // whether to delete was clicked once
  const [error, setError] = useState("");
  useEffect(() => { answerOf(net, "past").then((found: PastHand[]) => setHands(found.map((each) => ({ ...each, seat: ownSeat(each) }))), (e) => setError(e.message)); }, []);
  const title = (name: string) => {
    const game = games.find((each) => each.name === name);
    return game ? translator(language, game)(game.title) : name;
  };
  const who = (names: string[]) => recorded(names, t).join(" · ");
  const forget = async () => {
    if (!sure) return setSure(true);
    setSure(false);
    await net.ask("forget").then(() => setHands([]), (e) => setError(e.message));
  };
  const records = () => (hands ?? []).filter((each) => each.record).map((each) => `${each.record}\n`).join("");
  return (
    <main class="page past">
      <header class="head"><a class="icon-button" href="#/" aria-label={t("Back to the games")}>‹</a><h1>{t("Past hands")}</h1></header>
      {error ? <p class="error" role="alert">{error}</p> : null}
      {hands === null ? <p class="busy">…</p> : !hands.length ? <p>{t("No hand has been played to its end yet.")}</p> : (
        <>
          <section class="box"><h2>{t("By opponent")}</h2>
            <Scroll label={t("By opponent")}><table class="statistics">
              <thead><tr><th>{t("Games")}</th><th>{t("Opponents")}</th><th>{t("hands")}</th><th>{t("won")}</th><th>{t("points")}</th><th>{t("against others on the same cards")}</th></tr></thead>
              <tbody>{statistics(hands).map((row) => (
                <tr key={`${row.game} ${row.opponents.join()}`}>
                  <th>{title(row.game)}</th><td>{who(row.opponents)}</td><td>{row.hands}</td><td>{row.won} ({(100 * row.won / row.hands).toFixed(0)} %)</td>
                  <td>{signed(Number(row.points.toFixed(2)))}{row.half === null ? "" : ` ± ${row.half.toFixed(2)}`}</td>
                  <td>{row.gaps ? `${signed(Number(row.gap.toFixed(2)))} (${row.gaps})` : ""}</td>
                </tr>
              ))}</tbody>
            </table></Scroll>
          </section>
          <p class="row">
            <button type="button" id="export" onClick={() => save("hands.jsonl", records(), "application/json")}>{t("Save all records")}</button>
            <button type="button" id="forget" onClick={() => void forget()}>{t(sure ? "Delete for good?" : "Delete all")}</button>
          </p>
          <ul class="tables">{hands.slice(0, shown).map((each) => {
            const own = each.seat;
            return (
              <li key={`${each.table} ${each.deal} ${each.turn}`}>
                <b class={toneClass(each.returns, own)}>{signed(each.returns[own])}</b>
                <span>{title(each.game)} <small>{who(each.occupants.filter((_, seat) => seat !== own))} · {new Date(1000 * each.time).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" })}</small></span>
                {each.record ? <a class="button" href={`#/replay/${encodeURIComponent(each.record)}`}>{t("Review this hand")}</a> : null}
              </li>
            );
          })}</ul>
          {hands.length > shown ? <button type="button" onClick={() => setShown(shown + MOST_SHOWN)}>{t("More")} ({hands.length - shown})</button> : null}
        </>
      )}
    </main>
  );
}
