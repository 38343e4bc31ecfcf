// One WebSocket: requests with answers, and pushes of the server. It reconnects by itself.
// A request is { do: name, n: number, … }, its answer { re: number, ok } or { re: number, error }, a push
// { push: name, … }; closedhand/web/connection.py is the other end, requests/ has the requests by name.

type Push = (data: any) => void;

const FIRST_WAIT = 400;
const LONGEST_WAIT = 8000;
const PING_EVERY = 3000;
const LONGEST_SILENCE = 15_000;
export const MOST_MESSAGE = 2 * 2 ** 20; // of the server, see guard.py

// Where the page gets its data: from a server, or from the saved page itself.
export interface Link {
  owner: boolean;
  live: boolean;
  online: boolean;
  ask(what: string, given?: object): Promise<any>;
  on(name: string, listener: Push): () => void;
}

// The connection was lost before the answer; the page shows its state elsewhere.
export class Offline extends Error {}

// Asks again whenever the connection was lost before the answer: for what is asked only once.
export async function answerOf(net: Link, what: string, given: object = {}): Promise<any> {
  for (;;) {
    try {
      return await net.ask(what, given);
    } catch (e) {
      if (!(e instanceof Offline)) throw e;
    }
  }
}

export class Net implements Link {
  owner = true;
  live = true;
  online = false;
  private socket: WebSocket | null = null;
  private waiting = new Map<number, { ok: (v: any) => void; no: (e: Error) => void }>();
  private next = 1;
  private wait = FIRST_WAIT;
  private pushes = new Map<string, Set<Push>>();
  private opened: (() => void)[] = []; // requests that wait for a connection
  private pinged = 0; // time of the ping since which nothing has come; 0: something has

  constructor(private token: string) {
    this.connect();
    setInterval(() => this.beat(), PING_EVERY);
  }

  private connect(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const base = location.pathname.replace(/[^/]*$/, "");
    const socket = new WebSocket(`${scheme}://${location.host}${base}ws`);
    this.socket = socket;
    this.pinged = Date.now(); // a connection that never opens is given up, too
    socket.onopen = async () => {
      const hello = await this.send("hello", { token: this.token });
      this.owner = hello.owner;
      this.online = true;
      this.wait = FIRST_WAIT;
      this.emit("online", true);
      for (const resume of this.opened.splice(0)) resume();
    };
    socket.onmessage = (event) => this.receive(JSON.parse(event.data));
    socket.onclose = () => this.lose(socket);
  }

  // A network may fall silent without closing the connection: only an answer shows that it lives.
  private beat(): void {
    if (this.pinged && Date.now() - this.pinged > LONGEST_SILENCE) {
      const silent = this.socket;
      silent?.close();
      if (silent) this.lose(silent);
    } else if (this.online && !this.pinged) {
      this.pinged = Date.now();
      this.send("ping", {}).catch(() => {});
    }
  }

  private lose(socket: WebSocket): void {
    if (this.socket !== socket) return;
    this.socket = null;
    this.online = false;
    this.pinged = 0;
    socket.onmessage = socket.onopen = null;
    for (const each of this.waiting.values()) each.no(new Offline("offline"));
    this.waiting.clear();
    this.emit("online", false);
    setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
  }

  private receive(data: any): void {
    this.pinged = 0; // every message shows that the connection lives
    if (data.push) {
      this.emit(data.push, data);
      return;
    }
    const waiting = this.waiting.get(data.re);
    this.waiting.delete(data.re);
    if ("error" in data) waiting?.no(new Error(data.error));
    else waiting?.ok(data.ok);
  }

  private emit(name: string, data: any): void {
    for (const listener of this.pushes.get(name) ?? []) listener(data);
  }

  private send(what: string, given: object): Promise<any> {
    const n = this.next++;
    const text = JSON.stringify({ do: what, n, ...given });
    if (text.length > MOST_MESSAGE) return Promise.reject(new Error("more than the 2 MB that the server takes"));
    return new Promise((ok, no) => {
      this.waiting.set(n, { ok, no });
      this.socket?.send(text);
    });
  }

  async ask(what: string, given: object = {}): Promise<any> {
    if (!this.online) await new Promise<void>((done) => this.opened.push(done));
    return this.send(what, given);
  }

  on(name: string, listener: Push): () => void {
    const found = this.pushes.get(name) ?? new Set<Push>();
    this.pushes.set(name, found);
    found.add(listener);
    return () => found.delete(listener);
  }
}
