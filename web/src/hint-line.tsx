// A hint in its place, beside the buttons: the advised play, how much better it is, and where the values are.

import { compared } from "./comparison";
import type { Translate } from "./strings";
import { gapText } from "./turns";
import type { Hint } from "./types";

export function HintLine({ hint, preparing, open, t }: { hint: Hint | null; preparing: string; open: () => void; t: Translate }) {
  const mixed = (hint?.shares ?? []).filter((each) => each.share >= 0.01);
  const found = hint?.action && mixed.length < 2 ? compared(hint) : null;
  return (
    <p class="hint-line" role="status">
      {hint?.error ? <span class="error">{hint.error}</span> : hint?.action ? (
        <>
          <b>{mixed.length > 1 ? mixed.map((each) => `${t(each.text)} ${(100 * each.share).toFixed(0)} %`).join(", ") : t(hint.action.text)}</b>
          {hint.action.kind && mixed.length < 2 ? ` ${t(hint.action.kind)}` : ""}
          {found?.sure && found.less > 0 ? `, +${gapText(found.less, hint.unit, t)} ${t("compared with")} ${t(found.other.text)}` : ""}
        </>
      ) : preparing || "…"}
      {" "}<button type="button" id="values" onClick={open}>{t("Values")}</button>
    </p>
  );
}
