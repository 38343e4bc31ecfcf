// Records: a game in the address, or the games of a paste, a file or a sample.

import { useEffect, useState } from "preact/hooks";
import { useShared } from "./context";
import { recorded } from "./felt";
import { packed } from "./files";
import { answerOf, Offline } from "./net";
import { Replayed } from "./replay";
import type { ListedGame, ReplayData } from "./types";

const SAMPLE = "sample:";
const address = (record: string) => `#/replay/${encodeURIComponent(record)}`;

// The games that were opened last: back in the browser shows their list again.
let opened: ListedGame[] = [];

// The page that was shown before, if it was one of ours.
let visited = 0;
addEventListener("hashchange", () => { visited += 1; });
const back = () => { if (visited) history.back(); else location.hash = "#/replay"; };

export function ReplayPage({ place }: { place: string }) {
  if (!place) return <Records />;
  if (place.startsWith(SAMPLE)) return <Records sample={place.slice(SAMPLE.length)} />;
  return <OneRecord record={place} />;
}

function OneRecord({ record }: { record: string }) {
  const { net, t } = useShared();
  const [data, setData] = useState<ReplayData | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    let current = true;
    // The server forgets a game with the connection.
    const open = () => net.ask("replay", { record }).then((found) => current && setData((before) => before ?? found), (e: Error) => current && !(e instanceof Offline) && setError(e.message));
    const off = net.on("online", (online) => online && void open());
    void open();
    return () => { current = false; off(); };
  }, [record]);
  if (data) return <Replayed data={data} back={back} />;
  return (
    <main class="page">
      <header class="head"><a class="icon-button" href="#/replay" aria-label={t("Replay")}>‹</a><h1>{t("Replay")}</h1></header>
      {error ? <p class="error" role="alert">{error}</p> : <p class="busy">…</p>}
    </main>
  );
}

function Records({ sample }: { sample?: string }) {
  const { net, t } = useShared();
  const [listed, setListed] = useState<ListedGame[]>(sample ? [] : opened);
  const [samples, setSamples] = useState<string[]>([]);
  const [error, setError] = useState("");
  const [text, setText] = useState("");

  const list = (games: ListedGame[]) => {
    setListed(games);
    if (!sample) opened = games;
  };
  const open = async (ask: () => Promise<ListedGame[]>) => {
    setError("");
    list([]);
    try {
      const games = await ask();
      list(games);
      if (games.length === 1 && games[0].record) location.hash = address(games[0].record);
    } catch (e) {
      setError((e as Error).message);
    }
  };
  const openFile = (content: Blob) => open(async () => net.ask("study", { data: await packed(content) }));
  useEffect(() => {
    void answerOf(net, "samples").then(setSamples, () => {});
    if (sample) void open(() => net.ask("study", { sample }));
  }, [sample]);
  return (
    <main class="page">
      <header class="head"><a class="icon-button" href={sample ? "#/replay" : "#/"} aria-label={t(sample ? "Replay" : "Back to the games")}>‹</a><h1>{t("Replay")}</h1></header>
      {error ? <p class="error" role="alert">{t(error)}</p> : null}
      <section class="box" onDragOver={(e) => e.preventDefault()} onDrop={(e) => {
        e.preventDefault();
        const file = e.dataTransfer?.files[0];
        if (file) void openFile(file);
      }}>
        <label for="paste">{t("Paste a record, or drop a file")}</label>
        <textarea id="paste" rows={6} value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <p class="row">
          <button type="button" class="primary" id="open" disabled={!text.trim()} onClick={() => void openFile(new Blob([text]))}>{t("Open")}</button>
          <label class="button">{t("Choose a file")}<input type="file" class="hidden" onChange={(e) => {
            const file = e.currentTarget.files?.[0];
            if (file) void openFile(file);
          }} /></label>
          {samples.map((name) => <a class="button" key={name} data-sample={name} href={`#/replay/${SAMPLE}${name}`}>{t("Built-in games")}: {name.replace(/\..*$/, "")}</a>)}
        </p>
      </section>
      {listed.length ? (
        <ol class="games-list">{listed.map((each, i) => (
          <li key={i}>{each.record && !each.error ? <a class="button" data-record={i} href={address(each.record)}>
            <b>{i + 1}</b> {each.game} <small>{recorded(each.agents, t).join(" · ")}</small> <span>{each.returns.map((value) => (value > 0 ? `+${value}` : value)).join(" / ")}</span>
          </a> : <p class="unplayable" data-record={i}><b>{i + 1}</b> {each.error}</p>}</li>
        ))}</ol>
      ) : null}
    </main>
  );
}
