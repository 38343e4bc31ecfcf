"""The rules of Chinese Poker in words."""

from closedhand.core.rulebook import Section

RULEBOOK = {
    "en": (
        Section(
            "The aim",
            (
                "Everybody gets 13 cards and sets them secretly as three poker hands: a back and "
                "a middle of five cards, and a front of three.",
                "The back must be at least as strong as the middle, and the middle at least as "
                "strong as the front. Then all hands are shown and compared part by part.",
            ),
        ),
        Section(
            "Hands of poker",
            ("From high to low. A front of three cards is three of a kind, a pair or high.",),
            (
                ("straight flush", "5h 6h 7h 8h 9h"),
                ("four of a kind", "8c 8d 8h 8s 3d"),
                ("full house", "Kc Kd Ks 4h 4s"),
                ("flush", "2s 6s 9s Js As"),
                ("straight", "6c 7d 8h 9s Td"),
                ("three of a kind", "Qc Qd Qh 7s 2d"),
                ("two pairs", "Jc Jd 5h 5s Kd"),
                ("pair", "9c 9d Ah 6s 3d"),
                ("high card", "Ac Qd 9h 6s 3d"),
            ),
        ),
        Section(
            "Score",
            (
                "Against each opponent: a point for every part that you win, none for a tie, and "
                "one more for whoever wins more parts.",
                "Options add fouls, royalties for strong parts, and naturals, hands that win at "
                "once.",
            ),
        ),
        Section(
            "Advice",
            (
                "A strong back alone wins one part of three. Often a pair in the front and a "
                "sound middle are worth more than four of a kind behind.",
            ),
        ),
    ),
    "zh": (
        Section(
            "目标",
            (
                "每人13张牌，暗中摆成三手扑克牌：尾道和中道各五张，头道三张。",
                "尾道不得小于中道，中道不得小于头道。之后亮牌，逐道比较。",
            ),
        ),
        Section(
            "牌型",
            ("由大到小。头道只有三张：三条、对子或高牌。",),
            (
                ("同花顺", "5h 6h 7h 8h 9h"),
                ("四条", "8c 8d 8h 8s 3d"),
                ("葫芦", "Kc Kd Ks 4h 4s"),
                ("同花", "2s 6s 9s Js As"),
                ("顺子", "6c 7d 8h 9s Td"),
                ("三条", "Qc Qd Qh 7s 2d"),
                ("两对", "Jc Jd 5h 5s Kd"),
                ("对子", "9c 9d Ah 6s 3d"),
                ("高牌", "Ac Qd 9h 6s 3d"),
            ),
        ),
        Section(
            "计分",
            (
                "与每个对手比较：赢一道得1分，平局不计，赢得多数道者再得1分。",
                "选项可加入犯规、奖励分和特殊牌型。",
            ),
        ),
        Section("建议", ("强大的尾道只赢一道。头道一对加稳固的中道，往往比尾道四条更值。",)),
    ),
    "ja": (
        Section(
            "目的",
            (
                "13枚の手札を、伏せたまま三つのポーカーの手に分ける。バックとミドルは五枚、"
                "フロントは三枚。",
                "バックはミドル以上、ミドルはフロント以上でなければならない。"
                "その後、全員が公開し、部分ごとに比べる。",
            ),
        ),
        Section(
            "ポーカーの手",
            ("強い順。フロントは三枚で、スリーカード、ワンペア、ハイカードだけ。",),
            (
                ("ストレートフラッシュ", "5h 6h 7h 8h 9h"),
                ("フォーカード", "8c 8d 8h 8s 3d"),
                ("フルハウス", "Kc Kd Ks 4h 4s"),
                ("フラッシュ", "2s 6s 9s Js As"),
                ("ストレート", "6c 7d 8h 9s Td"),
                ("スリーカード", "Qc Qd Qh 7s 2d"),
                ("ツーペア", "Jc Jd 5h 5s Kd"),
                ("ワンペア", "9c 9d Ah 6s 3d"),
                ("ハイカード", "Ac Qd 9h 6s 3d"),
            ),
        ),
        Section(
            "点数",
            (
                "相手ごとに、勝った部分は1点、引き分けは0点。多くの部分に勝った側にはさらに1点。",
                "オプションで、ファウル、ロイヤリティ、ナチュラルを加えられる。",
            ),
        ),
        Section(
            "助言",
            (
                "強いバックで勝てるのは一つだけ。フロントのペアと堅いミドルのほうが、"
                "バックのフォーカードより得なことが多い。",
            ),
        ),
    ),
}
