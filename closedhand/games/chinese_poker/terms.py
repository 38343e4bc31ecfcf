"""The terms of Chinese Poker in other languages."""

TERMS = {
    "zh": {
        "Chinese Poker": "十三张",
        "back": "尾道",
        "middle": "中道",
        "front": "头道",
        "has set a hand": "已摆好",
        "option rules": "计分方法",
        "option players": "人数",
        "option fouls": "可以摆出次序错误的牌，但全输",
        "option royalties": "强牌另得奖励分",
        "option naturals": "特殊牌型立即获胜",
    },
    "ja": {
        "Chinese Poker": "チャイニーズポーカー",
        "back": "バック",
        "middle": "ミドル",
        "front": "フロント",
        "has set a hand": "配置済み",
        "option rules": "点数の数え方",
        "option players": "人数",
        "option fouls": "順序の違う並べ方もできるが、すべて負けになる",
        "option royalties": "強い部分に追加の点がつく",
        "option naturals": "特定の手はすぐに勝つ",
    },
}
