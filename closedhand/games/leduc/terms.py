"""The terms of Leduc poker in other languages."""

TERMS = {
    "zh": {
        "UH-Leduc": "UH-Leduc 扑克",
        "Leduc poker": "Leduc 扑克",
        "flop": "公共牌",
        "bets": "下注",
        "pot": "底池",
        "fold": "弃牌",
        "check": "过牌",
        "call": "跟注",
        "bet": "下注",
        "raise": "加注",
        "option pair": "对子需点数相同，或牌完全相同",
        "option double_pair": "双方成对时由花色决定，或平分",
    },
    "ja": {
        "UH-Leduc": "UH-Leducポーカー",
        "Leduc poker": "Leducポーカー",
        "flop": "フロップ",
        "bets": "ベット",
        "pot": "ポット",
        "fold": "フォールド",
        "check": "チェック",
        "call": "コール",
        "bet": "ベット",
        "raise": "レイズ",
        "option pair": "ペアは同じ数字、またはまったく同じカード",
        "option double_pair": "二人ともペアならスートで決める、または分ける",
    },
}
