// An advised play beside the next best.

import type { Hint, Value } from "./types";

const CLOSE = 0.02; // payoffs that are no difference

// The next best play, and how much less it gives; null while that is open.
export function compared(hint: Hint): { other: Value; less: number; sure: boolean } | null {
  const own = hint.values.find((value) => value.id === hint.action!.id);
  const other = hint.values.find((value) => value.id !== hint.action!.id);
  if (!own || !other) return null;
  const less = own.mean - other.mean;
  return { other, less, sure: other.high === null ? Math.abs(less) > CLOSE : other.high < 0 };
}
