// The rules of a game in words and pictures, as its spec states them.

import { useEffect, useState } from "preact/hooks";
import { useShared } from "./context";
import { Fan } from "./fan";
import { answerOf } from "./net";
import { translator, type Translate } from "./strings";
import type { Game, RuleSection } from "./types";

export function RulesText({ game, t }: { game: Game; t: Translate }) {
  const { net, language } = useShared();
  const [sections, setSections] = useState<RuleSection[]>([]);
  const [error, setError] = useState("");
  useEffect(() => {
    answerOf(net, "rules", { game: game.name, language }).then(setSections, (e: Error) => setError(e.message));
  }, [game.name, language]);
  return (
    <div class="rules">
      <h2>{t(game.title)}</h2>
      {error ? <p class="error" role="alert">{error}</p> : null}
      {sections.map((section) => (
        <section key={section.title}>
          <h3>{section.title}</h3>
          {section.text.map((paragraph) => <p key={paragraph}>{paragraph}</p>)}
          {section.plays.length ? <ul class="rule-plays">{section.plays.map((play) => (
            <li key={play.name}><span>{play.name}</span><Fan cards={play.cards} game={game} t={t} use="row" /></li>
          ))}</ul> : null}
        </section>
      ))}
    </div>
  );
}

export function RulesPage({ name }: { name: string }) {
  const { games, language, t: common } = useShared();
  const game = games.find((each) => each.name === name) ?? games[0];
  const t = translator(language, game);
  return (
    <main class="page rules-page">
      <header class="head"><a class="icon-button" href="#/" aria-label={common("Back to the games")}>‹</a><h1>{common("Rules")}</h1></header>
      <nav class="row">{games.filter((each) => each.has_rules).map((each) => (
        <a key={each.name} class="button" aria-current={each === game ? "page" : undefined} href={`#/rules/${each.name}`}>{translator(language, each)(each.title)}</a>
      ))}</nav>
      <div class="box"><RulesText game={game} t={t} /></div>
    </main>
  );
}
