"""The terms of Leduc poker in other languages."""

TERMS = {
    "zh": {
        "UH-Leduc": "UH-Leduc 扑克",
        "Leduc poker": "Leduc 扑克",
        "flop": "公共牌",
        "bets": "下注",
        "fold": "弃牌",
        "check": "过牌",
        "call": "跟注",
        "bet": "下注",
        "raise": "加注",
    },
    "ja": {
        "UH-Leduc": "UH-Leducポーカー",
        "Leduc poker": "Leducポーカー",
        "flop": "フロップ",
        "bets": "ベット",
        "fold": "フォールド",
        "check": "チェック",
        "call": "コール",
        "bet": "ベット",
        "raise": "レイズ",
    },
}
