"""The terms of Chinese Poker in other languages."""

TERMS = {
    "zh": {
        "Chinese Poker": "十三张",
        "back": "尾道",
        "middle": "中道",
        "front": "头道",
        "has set a hand": "已摆好",
    },
    "ja": {
        "Chinese Poker": "チャイニーズポーカー",
        "back": "バック",
        "middle": "ミドル",
        "front": "フロント",
        "has set a hand": "配置済み",
    },
}
