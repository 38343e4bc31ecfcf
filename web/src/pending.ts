// What was clicked and is still on its way to the server: shown as such, and sent again if the
// connection was lost before the answer. If the table's version has changed, it has counted.

import { useEffect, useRef, useState } from "preact/hooks";
import { useShared } from "./context";
import { Offline } from "./net";
import type { Table } from "./types";

interface Sent { what: string; given: object; version: number }

export interface Sender {
  pending: boolean;
  error: string;
  setError: (text: string) => void;
  send: (what: string, given?: object) => Promise<void>; // changes the table
  ask: (what: string, given?: object) => Promise<void>; // changes nothing
}

export function useSender(table: Table): Sender {
  const { net } = useShared();
  const [sent, setSent] = useState<Sent | null>(null);
  const [error, setError] = useState("");
  const isLost = useRef(false);

  const attempt = async (each: Sent) => {
    isLost.current = !net.online;
    if (isLost.current) return;
    try {
      await net.ask(each.what, each.given);
      // After a play the buttons stay disabled until the new version of the table is pushed: at the
      // server of a competition that is later than this answer.
      if (each.what !== "play") setSent(null);
    } catch (e) {
      if (e instanceof Offline) isLost.current = true;
      else {
        setSent(null);
        setError((e as Error).message);
      }
    }
  };
  const send = (what: string, given: object = {}) => {
    const each = { what, given, version: table.version };
    setError("");
    setSent(each);
    return attempt(each);
  };
  useEffect(() => {
    if (!sent) return;
    if (table.version !== sent.version) setSent(null);
    else if (isLost.current) void attempt(sent); // the table was joined anew
  }, [table]);
  useEffect(() => setError(""), [table.version]);
  const ask = (what: string, given: object = {}) => {
    setError("");
    return net.ask(what, given).catch((e: Error) => { if (!(e instanceof Offline)) setError(e.message); });
  };
  return { pending: sent !== null, error, setError, send, ask };
}
