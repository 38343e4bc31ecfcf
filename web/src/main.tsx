// The page: its connection, the page that the address names (#/t/… is a table), language and theme.

import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { SharedContext } from "./context";
import { Lobby } from "./lobby";
import { answerOf, Net, Offline } from "./net";
import { AnalysePage } from "./analyse";
import { PastPage } from "./past";
import { ReplayPage } from "./records";
import { RulesPage } from "./rules";
import { RunsPage } from "./runs";
import { SolvePage } from "./solve";
import { LANGUAGES, preferred, translator } from "./strings";
import { TablePage } from "./table";
import type { Game } from "./types";
import "./app.css";

// Stores the token of the owner's link and removes it from the address; returns whether there was one.
function takeToken(): boolean {
  const [place, query] = location.hash.split("?");
  const token = new URLSearchParams(query ?? "").get("token");
  if (token === null) return false;
  sessionStorage.setItem("token", token);
  history.replaceState(null, "", `${location.pathname}${place}`);
  return true;
}
takeToken();
// The link may be opened in a page that is already shown; reload, as the rights may have changed.
addEventListener("hashchange", () => { if (takeToken()) location.reload(); });
addEventListener("unhandledrejection", (event) => { if (event.reason instanceof Offline) event.preventDefault(); });
const net = new Net(sessionStorage.getItem("token") ?? "");

// A link may have been cut: the rest of it is sent as a record, and the server reports the error.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function Page({ hash }: { hash: string }) {
  const [kind, ...rest] = hash.replace(/^#\/?/, "").split("/");
  if (kind === "t") return <TablePage key={hash} id={rest[0] ?? ""} token={rest[1] ?? ""} />;
  if (kind === "replay") return <ReplayPage key={hash} place={decoded(rest.join("/"))} />;
  if (kind === "analyse") return <AnalysePage />;
  if (kind === "solve") return <SolvePage />;
  if (kind === "rules") return <RulesPage key={hash} name={rest[0] ?? ""} />;
  if (kind === "past") return <PastPage />;
  if (kind === "runs") return <RunsPage />;
  return <Lobby />;
}

function App() {
  const [hash, setHash] = useState(location.hash);
  const [games, setGames] = useState<Game[] | null>(null);
  const [online, setOnline] = useState(true);
  const [language, setLanguage] = useState(preferred);
  const [theme, setTheme] = useState(() => localStorage.getItem("theme") ?? "");
  useEffect(() => {
    const change = () => setHash(location.hash);
    addEventListener("hashchange", change);
    const off = net.on("online", setOnline);
    void answerOf(net, "games").then(setGames);
    return () => { removeEventListener("hashchange", change); off(); };
  }, []);
  useEffect(() => {
    document.documentElement.lang = language;
    localStorage.setItem("language", language);
  }, [language]);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("theme", theme);
  }, [theme]);
  const t = useMemo(() => translator(language), [language]);
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  return (
    <>
      <header class="corner">
        <select aria-label={t("Language")} value={language} onChange={(e) => setLanguage(e.currentTarget.value)}>
          {Object.entries(LANGUAGES).map(([code, name]) => <option key={code} value={code}>{name}</option>)}
        </select>
        <button type="button" aria-label={t("Light or dark")} onClick={() => setTheme(isDark ? "light" : "dark")}>{isDark ? "☀" : "☾"}</button>
      </header>
      {online ? null : <p class="offline" role="alert">{t("offline")}</p>}
      {games ? <SharedContext.Provider value={{ net, games, language, t }}><Page hash={hash} /></SharedContext.Provider> : <p class="busy first">…</p>}
    </>
  );
}

render(<App />, document.getElementById("app")!);
