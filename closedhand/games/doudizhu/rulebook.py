"""The rules of Dou Dizhu in words."""

from closedhand.core.rulebook import Section

RULEBOOK = {
    "en": (
        Section(
            "The aim",
            (
                "Three players: one landlord against two peasants, who play together. Whoever "
                "runs out of cards first wins for the own side.",
                "The landlord holds 20 cards and leads first. Each peasant holds 17. Three of the "
                "landlord's cards are known to everybody.",
            ),
        ),
        Section(
            "Ranks",
            ("From low to high. Suits do not count.",),
            (("ranks", "3 4 5 6 7 8 9 T J Q K A 2 S B"),),
        ),
        Section(
            "Course of play",
            (
                "The leader makes any play. In turn the others beat it or pass. After two passes "
                "in a row everything is cleared, and the last player who did not pass leads.",
                "A play is beaten by a play of the same kind and the same number of cards with a "
                "higher rank. A bomb beats every other kind and lower bombs; the rocket beats "
                "everything. Who has passed may play again on the next turn.",
            ),
        ),
        Section(
            "Plays",
            (
                "Kickers are cards added to a main group; they do not count in a comparison. "
                "Chains contain neither a 2 nor a joker.",
                "Under the rules `botzone` fours in a row are a play too (a shuttle): alone, or "
                "with two single cards or two pairs for each four.",
            ),
            (
                ("single", "7"),
                ("pair", "9 9"),
                ("three of a kind", "8 8 8"),
                ("three with a single", "8 8 8 4"),
                ("three with a pair", "8 8 8 4 4"),
                ("chain, five singles or more", "3 4 5 6 7"),
                ("chain of pairs, three or more", "5 5 6 6 7 7"),
                ("plane, two threes or more", "T T T J J J"),
                ("plane with wings: a kicker for each three", "T T T J J J 3 5"),
                ("four with two singles", "6 6 6 6 3 9"),
                ("bomb", "6 6 6 6"),
                ("rocket", "S B"),
            ),
        ),
        Section(
            "Score",
            (
                "The landlord plays for twice the stake, each peasant for the stake. Every bomb "
                "and the rocket double it.",
                "Options add an auction for the role of the landlord, doubling, open hands and "
                "the spring.",
            ),
        ),
        Section(
            "Advice",
            (
                "Count how many plays your hand needs, and lead what others can hardly take back. "
                "Peasants should not beat each other without need: let the partner win who is "
                "nearer to the end.",
            ),
        ),
    ),
    "zh": (
        Section(
            "目标",
            (
                "三人游戏：一名地主对两名合作的农民。谁先出完手中的牌，谁的一方获胜。",
                "地主有20张牌并首先出牌，农民各17张。地主的三张底牌人人可见。",
            ),
        ),
        Section("大小", ("由小到大。花色不计。",), (("牌点", "3 4 5 6 7 8 9 T J Q K A 2 S B"),)),
        Section(
            "过程",
            (
                "首家任意出牌，其他人轮流压牌或不出。连续两家不出后清桌，由最后出牌者重新出牌。",
                "压牌必须牌型相同、张数相同、点数更大。炸弹可压其他牌型和较小的炸弹；火箭最大。"
                "不出之后，下一轮仍可出牌。",
            ),
        ),
        Section(
            "牌型",
            (
                "带的牌不参与比较大小。顺子和连对不能含2和王。",
                "预设 botzone 中，相连的四张也是牌型（航天飞机），"
                "可不带，或每个四张带两张单牌或两对。",
            ),
            (
                ("单张", "7"),
                ("对子", "9 9"),
                ("三张", "8 8 8"),
                ("三带一", "8 8 8 4"),
                ("三带二", "8 8 8 4 4"),
                ("顺子，至少五张", "3 4 5 6 7"),
                ("连对，至少三对", "5 5 6 6 7 7"),
                ("飞机，至少两个三张", "T T T J J J"),
                ("飞机带翅膀", "T T T J J J 3 5"),
                ("四带二", "6 6 6 6 3 9"),
                ("炸弹", "6 6 6 6"),
                ("火箭", "S B"),
            ),
        ),
        Section(
            "计分",
            (
                "地主输赢两倍底分，农民各一倍。每个炸弹和火箭使底分加倍。",
                "选项可加入叫牌、加倍、明牌和春天。",
            ),
        ),
        Section(
            "建议",
            (
                "先数手牌需要几手出完，多出别人难以压住的牌。农民之间不要无谓互压，让快出完的一方先走。",
            ),
        ),
    ),
    "ja": (
        Section(
            "目的",
            (
                "三人で遊ぶ。地主一人に、協力する農民二人が対する。先に手札をなくした者の側が勝つ。",
                "地主は20枚を持ち、最初に出す。農民は17枚ずつ。地主の3枚の底牌は全員に見える。",
            ),
        ),
        Section(
            "強さ",
            ("弱い順。スートは関係しない。",),
            (("順位", "3 4 5 6 7 8 9 T J Q K A 2 S B"),),
        ),
        Section(
            "進行",
            (
                "親は好きな役を出す。他の人は順番に、上回る役を出すかパスする。"
                "二人続けてパスすると場が流れ、最後に出した人が親になる。",
                "同じ種類、同じ枚数で、より強い役だけが上回る。爆弾は他の種類と弱い爆弾に勝ち、"
                "ロケットは何にでも勝つ。パスした人も次の番には出せる。",
            ),
        ),
        Section(
            "役",
            (
                "添え札は強さに関係しない。連続する役に2とジョーカーは入らない。",
                "ルール botzone では連続する四枚組も役になる。そのまま、または四枚組ごとに"
                "二枚か二ペアを添える。",
            ),
            (
                ("一枚", "7"),
                ("ペア", "9 9"),
                ("三枚組", "8 8 8"),
                ("三枚組と一枚", "8 8 8 4"),
                ("三枚組とペア", "8 8 8 4 4"),
                ("連番、五枚以上", "3 4 5 6 7"),
                ("連続ペア、三組以上", "5 5 6 6 7 7"),
                ("飛行機、三枚組が二つ以上", "T T T J J J"),
                ("翼つき飛行機", "T T T J J J 3 5"),
                ("四枚組と二枚", "6 6 6 6 3 9"),
                ("爆弾", "6 6 6 6"),
                ("ロケット", "S B"),
            ),
        ),
        Section(
            "点数",
            (
                "地主は基礎点の二倍、農民は一倍を賭ける。爆弾とロケットのたびに倍になる。",
                "オプションで、地主を決める競り、倍、手札公開、春を加えられる。",
            ),
        ),
        Section(
            "助言",
            (
                "何手で出し切れるかを数え、取り返されにくい役から出す。"
                "農民どうしは無駄に上回らず、上がりに近い味方を先に行かせる。",
            ),
        ),
    ),
}
