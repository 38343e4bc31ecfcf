"""The rules of the Leduc family in words."""

from closedhand.core.rulebook import Section

RULEBOOK = {
    "en": (
        Section(
            "The aim",
            (
                "A poker game for two with six cards. Both players put in 1 chip and get one "
                "card. After a round of betting a common card, the flop, is turned, and a second "
                "round follows.",
            ),
        ),
        Section(
            "Betting",
            (
                "If nobody has bet, you check or raise. If the opponent has bet more, you fold, "
                "call or raise. A raise adds 2 chips in the first round and 4 in the second; "
                "there are at most two in a round.",
                "Who folds loses what is in the pot from this player.",
            ),
        ),
        Section(
            "Showdown",
            (
                "Whoever has a pair with the flop wins; otherwise the higher card wins. Equal "
                "cards split the pot. Suits do not count.",
            ),
            (("ranks, from low to high", "HJ HQ HK"), ("a pair with the flop", "SJ HJ")),
        ),
        Section(
            "Advice",
            (
                "The game is solved: the agent `equilibrium` cannot be beaten in the long run. It "
                "bluffs with a jack now and then, and sometimes only checks with a king.",
            ),
        ),
    ),
    "zh": (
        Section(
            "目标",
            (
                "两人六张牌的扑克。双方各下1个筹码，各得一张牌。"
                "一轮下注后翻开公共牌，再进行第二轮下注。",
            ),
        ),
        Section(
            "下注",
            (
                "无人下注时可过牌或加注；对手下注更多时可弃牌、跟注或加注。"
                "第一轮每次加2个筹码，第二轮加4个，每轮最多加两次。",
                "弃牌者失去已投入的筹码。",
            ),
        ),
        Section(
            "摊牌",
            ("与公共牌成对者胜，否则大牌胜，相同则平分。花色不计。",),
            (("由小到大", "HJ HQ HK"), ("与公共牌成对", "SJ HJ")),
        ),
        Section(
            "建议",
            ("此游戏已被求解：程序 equilibrium 长期不败。它有时用J诈唬，有时拿K也只过牌。",),
        ),
    ),
    "ja": (
        Section(
            "目的",
            (
                "六枚のカードを使う二人用のポーカー。二人とも1チップを出し、一枚ずつ受け取る。"
                "ベットのあと、共通のカード（フロップ）を開き、もう一度ベットする。",
            ),
        ),
        Section(
            "ベット",
            (
                "だれも賭けていなければ、チェックかレイズ。相手が多く賭けていれば、"
                "フォールド、コール、レイズ。レイズは一回目が2、二回目が4チップで、各二回まで。",
                "フォールドした人は、出したチップを失う。",
            ),
        ),
        Section(
            "ショーダウン",
            (
                "フロップとペアになった人が勝つ。なければ強いカードが勝ち、同じなら引き分け。"
                "スートは関係しない。",
            ),
            (("弱い順", "HJ HQ HK"), ("フロップとのペア", "SJ HJ")),
        ),
        Section(
            "助言",
            (
                "このゲームは解かれている。equilibrium には長い目では勝てない。"
                "ときにJでブラフし、ときにKでもチェックする。",
            ),
        ),
    ),
}

_UH = {
    "en": (
        Section(
            "The aim",
            (
                "A poker game for two with 18 cards. Both players put in 1 chip and get one card. "
                "After a round of betting a common card, the flop, is turned, and a second round "
                "follows.",
            ),
        ),
        Section(
            "Betting",
            (
                "Without a bet against you, you check or raise; against a bet you fold or call. "
                "A raise is 3 chips above the larger bet. Only the second player may raise a "
                "raise, once in a round.",
                "In the second round a player who has bet only the first chip cannot check: it "
                "raises or folds.",
            ),
        ),
        Section(
            "Showdown",
            (
                "Whoever has a pair with the flop wins; otherwise the higher card wins. Here suits "
                "count: spades are above hearts. There are three of each queen, and two of every "
                "other card.",
            ),
            (
                ("ranks, from low to high", "HJ SJ HQ SQ HK SK HA SA"),
                ("a pair with the flop", "SQ HQ"),
            ),
        ),
    ),
    "zh": (
        Section(
            "目标",
            (
                "两人18张牌的扑克。双方各下1个筹码，各得一张牌。"
                "一轮下注后翻开公共牌，再进行第二轮下注。",
            ),
        ),
        Section(
            "下注",
            (
                "未面对下注时可过牌或加注；面对下注时可弃牌或跟注。"
                "加注比较大的注多3个筹码。只有后手可再加注，每轮一次。",
                "第二轮中，只下过底注的玩家不能过牌，必须加注或弃牌。",
            ),
        ),
        Section(
            "摊牌",
            ("与公共牌成对者胜，否则大牌胜。花色有别：黑桃大于红心。每种Q各三张，其余各两张。",),
            (("由小到大", "HJ SJ HQ SQ HK SK HA SA"), ("与公共牌成对", "SQ HQ")),
        ),
    ),
    "ja": (
        Section(
            "目的",
            (
                "18枚のカードを使う二人用のポーカー。二人とも1チップを出し、一枚ずつ受け取る。"
                "ベットのあとフロップを開き、もう一度ベットする。",
            ),
        ),
        Section(
            "ベット",
            (
                "相手の賭けがなければチェックかレイズ、あればフォールドかコール。"
                "レイズは大きいほうの額より3チップ多い。再レイズは後手だけが各回一度できる。",
                "二回目で最初の1チップしか出していない人は、チェックできずレイズかフォールドする。",
            ),
        ),
        Section(
            "ショーダウン",
            (
                "フロップとペアになった人が勝つ。なければ強いカードが勝つ。"
                "スペードはハートより強い。Qは各三枚、ほかは各二枚ある。",
            ),
            (("弱い順", "HJ SJ HQ SQ HK SK HA SA"), ("フロップとのペア", "SQ HQ")),
        ),
    ),
}

UH_RULEBOOK = {language: (*_UH[language], *(RULEBOOK[language][-1:])) for language in RULEBOOK}
