// What may be wider than its place: it scrolls by touch, and by the arrow keys when it has the focus.

import type { ComponentChildren } from "preact";

export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return <div class="scroll" role="group" aria-label={label} tabIndex={0}>{children}</div>;
}
