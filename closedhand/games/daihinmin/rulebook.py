"""The rules of Daihinmin in words."""

from closedhand.core.rulebook import Section

RULEBOOK = {
    "en": (
        Section(
            "The aim",
            (
                "Five players, everybody alone. Be the first to run out of cards: the first one "
                "is the daifugo (5 points), the last one the daihinmin (1 point).",
                "There are 53 cards: 52 and one joker.",
            ),
        ),
        Section(
            "Ranks",
            ("From low to high.",),
            (("ranks", "3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2c *"),),
        ),
        Section(
            "Course of play",
            (
                "The leader makes any play. In turn the others beat it or pass; who passes is out "
                "of this trick. When all have passed, the last player who did not pass leads.",
                "A play is beaten by a play of the same kind and number of cards with a higher "
                "rank. A kaidan must lie wholly above the other one.",
            ),
        ),
        Section(
            "Plays",
            ("The joker stands for any card that is missing.",),
            (
                ("single", "7h"),
                ("pair", "9c 9s"),
                ("three of a kind", "Jd Jh Js"),
                ("kaidan: three or more of one suit in a row", "5h 6h 7h"),
                ("kaidan with a joker", "5h 7h *"),
                ("joker alone: beats every single", "*"),
            ),
        ),
        Section(
            "Special rules",
            (
                "Eight-stop: a play that covers an 8 ends the trick, and its player leads.",
                "Revolution: four of a kind, or a kaidan of five or more, turns the order of the "
                "ranks round until the hand ends. Another one turns it back.",
                "Lock: if a play has the same suits as the play before it, only these suits may "
                "follow in this trick.",
                "Only the three of spades beats a joker that lies alone.",
                "Options: a forbidden finish, a last play with a joker, an 8 or a 2 (in a "
                "revolution a 3), gets the last place; after two ranks in a row a number lock lets "
                "only the next rank follow.",
            ),
            (("revolution", "4c 4d 4h 4s"), ("beats the joker", "3s")),
        ),
        Section(
            "Exchange of cards",
            (
                "In a match of several rounds the daihinmin gives the best two cards to the "
                "daifugo, and the hinmin the best one to the fugo. They get back as many cards, "
                "which the winners choose.",
            ),
        ),
        Section(
            "Advice",
            (
                "Play low cards while you lead, keep an 8, a 2 or the joker to take the lead "
                "back, and think of the last two plays before you begin them.",
            ),
        ),
    ),
    "zh": (
        Section(
            "目标",
            (
                "五人各自为战，先出完手牌者为大富豪（5分），最后一名为大贫民（1分）。",
                "共53张牌：52张加一张王。",
            ),
        ),
        Section("大小", ("由小到大。",), (("牌点", "3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2c *"),)),
        Section(
            "过程",
            (
                "首家任意出牌，其他人轮流压牌或不要；不要者本墩不能再出。全部不要后，"
                "由最后出牌者首出。",
                "压牌必须牌型、张数相同且点数更大。顺子必须整体高于对方。",
            ),
        ),
        Section(
            "牌型",
            ("王可代替任何缺少的牌。",),
            (
                ("单张", "7h"),
                ("对子", "9c 9s"),
                ("三张", "Jd Jh Js"),
                ("阶段：同花色三张以上相连", "5h 6h 7h"),
                ("带王的阶段", "5h 7h *"),
                ("单张王：压任何单张", "*"),
            ),
        ),
        Section(
            "特殊规则",
            (
                "八切：含8的牌结束本墩，出牌者首出。",
                "革命：四张相同或五张以上的阶段使大小颠倒，直到本局结束；再次革命则恢复。",
                "锁花色：若所出花色与前一手相同，本墩之后只能出这些花色。",
                "只有黑桃3能压单张王。",
                "选项：禁止上手，最后一手含王、8或2（革命时为3）者得最后名次；"
                "数字锁，点数相连后只能出下一个点数。",
            ),
            (("革命", "4c 4d 4h 4s"), ("压王", "3s")),
        ),
        Section(
            "交换",
            (
                "多局比赛中，大贫民把最大的两张给大富豪，贫民把最大的一张给富豪；"
                "对方还回同样张数的任意牌。",
            ),
        ),
        Section("建议", ("首出时先出小牌，留8、2或王夺回出牌权，并提前想好最后两手。",)),
    ),
    "ja": (
        Section(
            "目的",
            (
                "五人がそれぞれ一人で戦う。最初に手札をなくした人が大富豪（5点）、"
                "最後の人が大貧民（1点）。",
                "カードは52枚とジョーカー1枚の53枚。",
            ),
        ),
        Section("強さ", ("弱い順。",), (("順位", "3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2c *"),)),
        Section(
            "進行",
            (
                "親は好きな役を出す。他の人は順に、上回る役を出すかパスする。"
                "パスした人はその場ではもう出せない。全員がパスすると、最後に出した人が親になる。",
                "同じ種類、同じ枚数で、より強い役だけが上回る。階段は全体が上でなければならない。",
            ),
        ),
        Section(
            "役",
            ("ジョーカーは足りないカードの代わりになる。",),
            (
                ("一枚", "7h"),
                ("ペア", "9c 9s"),
                ("三枚組", "Jd Jh Js"),
                ("階段：同じスートで三枚以上の連番", "5h 6h 7h"),
                ("ジョーカー入りの階段", "5h 7h *"),
                ("ジョーカー一枚：どの一枚にも勝つ", "*"),
            ),
        ),
        Section(
            "特別なルール",
            (
                "8切り：8を含む役で場が流れ、出した人が親になる。",
                "革命：四枚組、または五枚以上の階段で、強さが逆になる。もう一度で元に戻る。",
                "縛り：前の役と同じスートで出すと、その場ではそのスートしか出せない。",
                "一枚のジョーカーには、スペードの3だけが勝つ。",
                "オプション：禁止上がり。最後の役にジョーカー、8、2（革命中は3）があると最下位になる。"
                "数縛り。順位が続くと、次は隣の順位しか出せない。",
            ),
            (("革命", "4c 4d 4h 4s"), ("ジョーカーに勝つ", "3s")),
        ),
        Section(
            "カード交換",
            (
                "数局の試合では、大貧民が最強の2枚を大富豪に、貧民が最強の1枚を富豪に渡し、"
                "同じ枚数を好きに返してもらう。",
            ),
        ),
        Section(
            "助言",
            (
                "親のうちに弱いカードを出し、8、2、ジョーカーを取り返すために残す。"
                "最後の二手を先に考える。",
            ),
        ),
    ),
}
