"""Inputs that once ended in a traceback, a crash or a hang, by the name of their target."""

import io

import numpy as np


def npz(**arrays: object) -> bytes:
    """An npz file."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


RECORD = b'{"game": "doudizhu", "rules": {}, "actions": [], "seed": 1}'

CORPUS: dict[str, list[bytes]] = {
    "record": [
        RECORD.replace(b"[]", b"null"),
        RECORD.replace(b"{}", b"null"),
        RECORD.replace(b"{}", b'{"name": "leduc"}'),
        RECORD.replace(b"[]", b"[" * 200_000 + b"]" * 200_000),
        RECORD.replace(b"[]", b"[" * 200_000),
        RECORD.replace(b": 1}", b": " + b"9" * 5000 + b"}"),
        RECORD.replace(b": 1}", b": 1e999}"),
        RECORD.replace(b": 1}", b": NaN}"),
        RECORD.replace(b": 1}", b": true}"),
        RECORD.replace(b": 1}", b': 1, "seed": 2}'),
        RECORD.replace(b"[]", b'["\\ud800"]'),
        RECORD.replace(b"[]", b'["\\u0000\\n"]'),
        RECORD.replace(b": 1}", b': 1, "returns": [true]}'),
    ],
    "strategy": [
        npz(probabilities=np.zeros(1), about=np.array('{"game": "doudizhu", "options": {}}')),
        npz(probabilities=np.zeros(1), about=np.array("[" * 100_000)),
    ],
    "bid-deals": [
        npz(settings=np.array("{}"), hands=np.full((1, 3), 2**63, "u8"), points=np.zeros((1, 3))),
        npz(settings=np.array("{}"), hands=np.zeros((1, 3)), points=np.zeros((1, 3))),
    ],
    "agents": [b"," + b"[," * 20_000],
    "position": [
        b"make_game('leduc').view_from(0, 'SK', [007])",
        b"make_game('leduc').view_from(0, 'S\nK', [])",
        b"make_game('leduc').view_from(0, 'S\0K', [])",
    ],
    "saved-table": [
        b'{"layout": 1, "game": "leduc", "rules": {}, "start": "\\u00e9", "actions": [], '
        b'"chairs": [], "open": false, "pace": 0, "watch": "", "hands": [], "deal": 0, '
        b'"turn": 0, "seed": 0}'
    ],
    "messages": [
        b'{"do": "join", "table": "table", "token": "\\ud800"}',
        b'{"do": "study", "data": "", "self": 1}',
    ],
    "log": [
        b"%-----%GAME_NUMBER% " + b"9" * 5000 + b"\n%00000%mibun% 22222\n",
        b"%-----%RULE_SEKIGAE_NUM% 0\n%00000%mibun% 22222\n",
        b'%-----%OPTIONS% {"name": 1}\n%00000%mibun% 22222\n',
        b"%-----%OPTIONS% " + b"[" * 100_000 + b"\n%00000%mibun% 22222\n",
        "%-----%GAME_NUMBER% ²\n".encode(),
    ],
}
