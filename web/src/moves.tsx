// The moves of a replay in columns, one for each seat, with their cards.

import { Card } from "./cards";
import { Verdict } from "./mistakes";
import type { Translate } from "./strings";
import type { Game, Judged, ReplayData } from "./types";

const MOST_CARDS = 8; // that are drawn; longer plays are written

export function MoveColumns({ data, game, judged, name, ply, setPly, t }: {
  data: ReplayData;
  game: Game;
  judged: Map<number, Judged>;
  name: (seat: number) => string;
  ply: number;
  setPly: (ply: number) => void;
  t: Translate;
}) {
  let row = 0;
  let last = data.players;
  const rows = data.moves.map((move) => {
    if (move.player <= last) row += 1; // the seats go round: a new line
    last = move.player;
    return row;
  });
  const columns = { gridTemplateColumns: `repeat(${data.players}, minmax(0, 1fr))` };
  return (
    <>
      <div class="move-heads" style={columns} aria-hidden="true">{Array.from({ length: data.players }, (_, seat) => <b key={seat}>{name(seat)}</b>)}</div>
      <ol class="moves in-columns" style={columns}>{data.moves.map((move, i) => {
        const found = judged.get(i);
        const drawn = move.cards.length > 0 && move.cards.length <= MOST_CARDS;
        return (
          <li key={i} class={i + 1 === ply ? "now" : ""} style={{ gridColumn: move.player + 1, gridRow: rows[i] }}>
            <button type="button" class="move" data-ply={i + 1} onClick={() => setPly(i + 1)}>
              <small>{i + 1}</small>
              {drawn ? <span class="mini" role="img" aria-label={t(move.text)}>{move.cards.map((card, k) => <Card key={k} card={card} faces={game.faces} />)}</span> : <b>{t(move.text)}</b>}
              {found?.play ? <Verdict judged={found} unit={data.unit} t={t} /> : null}
            </button>
          </li>
        );
      })}</ol>
    </>
  );
}
