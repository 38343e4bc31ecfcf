// The options of a game, each with its meaning in the language of the page.

import { useEffect, useState } from "preact/hooks";
import { translator, type Translate } from "./strings";
import { useReturns, useShared } from "./context";
import type { Game, Option } from "./types";

export type Options = Record<string, string>;

const number = (option: Option) => option.kind === "int" || /whole number/.test(option.values);

function Field({ option, usual, value, set, t }: { option: Option; usual: unknown; value: string; set: (value: string) => void; t: Translate }) {
  const standard = usual === null ? "" : String(usual);
  const choices = option.choices.length ? option.choices : option.kind === "bool" ? ["true", "false"] : [];
  const shown = value.toLowerCase() === standard.toLowerCase() ? "" : value;
  const meaning = t(`option ${option.name}`);
  return (
    <label data-option={option.name}>{option.name}
      {choices.length ? (
        <select value={shown} onChange={(e) => set(e.currentTarget.value)}>
          <option value="">{t(standard || "none")}</option>
          {choices.filter((choice) => choice !== standard).map((choice) => <option key={choice} value={choice}>{t(choice)}</option>)}
        </select>
      ) : <input type={number(option) ? "number" : "text"} placeholder={standard} value={value} onInput={(e) => set(e.currentTarget.value)} />}
      <small>{meaning === `option ${option.name}` ? option.text.replaceAll("`", "") : meaning}</small>
    </label>
  );
}

// The number of seats under some options: any of them may change it. While they are refused, the one before.
export function usePlayers(game: Game, options: Options): number {
  const { net } = useShared();
  const returns = useReturns();
  const [found, setFound] = useState({ game: game.name, players: game.players });
  useEffect(() => {
    let current = true;
    net.ask("players", { game: game.name, options }).then((players) => current && setFound({ game: game.name, players }), () => {});
    return () => { current = false; };
  }, [game.name, options, returns]);
  return found.game === game.name ? found.players : game.players;
}

export function OptionList({ game, options, change }: { game: Game; options: Options; change: (next: (before: Options) => Options) => void }) {
  const { language } = useShared();
  const t = translator(language, game);
  const [open, setOpen] = useState(false);
  if (!game.options.length) return null;
  const rules = options.rules || game.options.find((option) => option.name === "rules")?.default;
  const usual: Record<string, unknown> = game.presets[String(rules)] ?? {}; // under these rules
  const set = (key: string, value: string) => change((before) => {
    const { [key]: _, ...others } = before;
    return value === "" ? others : { ...others, [key]: value };
  });
  return (
    <details class="options" open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{t("Options")}</summary>
      {game.options.map((option) => <Field key={option.name} option={option} usual={option.name in usual ? usual[option.name] : option.default} value={options[option.name] ?? ""} set={(value) => set(option.name, value)} t={t} />)}
    </details>
  );
}
