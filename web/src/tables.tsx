// The tables of the owner, the latest first, with a search.

import { useEffect, useState } from "preact/hooks";
import { useShared } from "./context";
import { recorded } from "./felt";
import { answerOf } from "./net";
import { signed } from "./outcome";
import { counted } from "./score";
import { translator } from "./strings";

const MOST_SHOWN = 50;

interface Listed { table: string; game: string; occupants: string[]; token: string; hands: number; changed: number; total: number | null }

export function Tables() {
  const { net, games, language, t } = useShared();
  const [tables, setTables] = useState<Listed[]>([]);
  const [wanted, setWanted] = useState("");
  useEffect(() => { void answerOf(net, "tables").then(setTables, () => {}); }, []);
  if (!tables.length) return null;
  const title = (each: Listed) => {
    const game = games.find((one) => one.name === each.game);
    return game ? translator(language, game)(game.title) : each.game;
  };
  const date = (each: Listed) => new Date(1000 * each.changed).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  const text = (each: Listed) => [title(each), each.game, ...each.occupants, date(each)].join(" ").toLowerCase();
  const found = tables.filter((each) => text(each).includes(wanted.trim().toLowerCase()));
  const remove = (each: Listed) => void net.ask("drop", { table: each.table }).then(() => setTables((before) => before.filter((other) => other !== each)), () => {});
  return (
    <section class="card-box-list">
      <h2>{t("Your tables")} ({tables.length})</h2>
      {tables.length > 8 ? <input type="search" id="search-tables" placeholder={t("Search")} aria-label={t("Search")} value={wanted} onInput={(e) => setWanted(e.currentTarget.value)} /> : null}
      <ul class="tables">{found.slice(0, MOST_SHOWN).map((each) => (
        <li key={each.table}>
          <a href={`#/t/${each.table}/${each.token}`}>{title(each)} {each.total !== null && each.hands ? <b>{signed(each.total)}</b> : null} <small>{recorded(each.occupants, t).join(" · ")} · {counted(each.hands, t)} · {date(each)}</small></a>
          <button type="button" aria-label={t("Remove")} onClick={() => remove(each)}>×</button>
        </li>
      ))}</ul>
      {found.length > MOST_SHOWN ? <p><small>{t("and more: search for them")} ({found.length - MOST_SHOWN})</small></p> : null}
    </section>
  );
}
