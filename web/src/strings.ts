// The texts of the page in all languages. Games have terms of their own.

import type { Game } from "./types";

export const LANGUAGES: Record<string, string> = { en: "English", zh: "中文", ja: "日本語" };

const WORDS: Record<string, [string, string]> = {
  "c": ["梅花", "クラブ"],
  "d": ["方块", "ダイヤ"],
  "h": ["红心", "ハート"],
  "s": ["黑桃", "スペード"],
  "joker": ["大王", "ジョーカー"],
  "small joker": ["小王", "小ジョーカー"],
  "hidden card": ["暗牌", "伏せ札"],
  "Games": ["游戏", "ゲーム"],
  "Play": ["出牌", "出す"],
  "Start": ["开始", "始める"],
  "Hint": ["提示", "ヒント"],
  "Undo": ["悔牌", "一手戻す"],
  "Clear": ["清除", "選択解除"],
  "List": ["列表", "一覧"],
  "Next hand": ["下一局", "次の局"],
  "Same deal, seats moved": ["同一副牌，换座位", "同じ配牌で席を替える"],
  "Back to the games": ["返回大厅", "ロビーへ"],
  "Your turn": ["轮到你", "あなたの番"],
  "is thinking": ["思考中", "考慮中"],
  "You": ["你", "あなた"],
  "You win": ["你赢了", "勝ち"],
  "You lose": ["你输了", "負け"],
  "A draw": ["平局", "引き分け"],
  "The hand is over": ["本局结束", "終局"],
  "Moves": ["出牌记录", "手順"],
  "Score": ["比分", "得点"],
  "against others on the same cards": ["同牌对比", "同じカードでの差"],
  "Total": ["合计", "合計"],
  "last {} hands": ["最近{}局", "直近{}局"],
  "Seats": ["座位", "席"],
  "Options": ["选项", "オプション"],
  "Watch": ["观战", "観戦"],
  "Watching": ["观战中", "観戦中"],
  "All hands open": ["明牌", "全ての手札を公開"],
  "person": ["玩家", "人"],
  "Person": ["玩家", "人"],
  "Your name": ["你的名字", "名前"],
  "Your tables": ["你的牌桌", "あなたの卓"],
  "Links": ["链接", "リンク"],
  "Link to watch": ["观战链接", "観戦リンク"],
  "Copy": ["复制", "コピー"],
  "copied": ["已复制", "コピーしました"],
  "Pause": ["暂停", "一時停止"],
  "Step": ["单步", "一手進める"],
  "Go on": ["继续", "再開"],
  "Speed": ["速度", "速さ"],
  "Choose a reading": ["选择一种牌型", "読み方を選ぶ"],
  "Place the cards": ["摆放你的牌", "カードを並べる"],
  "Set": ["确定", "決定"],
  "these parts may not be set so": ["这样摆放不合规则", "この並べ方はできません"],
  "Take back": ["收回", "戻す"],
  "all legal plays": ["所有合法出牌", "合法手一覧"],
  "filter": ["筛选", "絞り込み"],
  "offline": ["连接断开，正在重连…", "接続が切れました。再接続中…"],
  "seat": ["座位", "席"],
  "cards": ["张", "枚"],
  "hidden": ["未知", "非公開"],
  "Replay": ["复盘", "棋譜再生"],
  "Analyse": ["分析", "検討"],
  "Value": ["价值", "評価値"],
  "Others": ["他人手牌", "他の手札"],
  "What the others may hold": ["其他人可能的手牌", "他の人の手札の確率"],
  "Close": ["关闭", "閉じる"],
  "Mistakes": ["失误", "ミス"],
  "unclear": ["不确定", "不明"],
  "mistake": ["失误", "ミス"],
  "Paste a record, or drop a file": ["粘贴牌谱或拖入文件", "棋譜を貼り付けるかファイルをドロップ"],
  "Open": ["打开", "開く"],
  "Choose a file": ["选择文件", "ファイルを選ぶ"],
  "Built-in games": ["内置牌谱", "収録棋譜"],
  "Play on from here": ["从这里继续", "ここから対局"],
  "Copy the position": ["复制局面", "局面をコピー"],
  "Save the record": ["保存牌谱", "棋譜を保存"],
  "Save a picture": ["保存图片", "画像を保存"],
  "Copy the link": ["复制链接", "リンクをコピー"],
  "Review this hand": ["复盘本局", "この局を検討"],
  "Remove": ["删除", "削除"],
  "Runs": ["运行结果", "実行結果"],
  "Expected points": ["期望得分", "期待得点"],
  "simulations": ["次模拟", "シミュレーション"],
  "Stop": ["停止", "停止"],
  "compared with": ["相对于", "基準:"],
  "Look from": ["视角", "視点"],
  "table": ["牌桌", "卓"],
  "Language": ["语言", "言語"],
  "Light or dark": ["明暗", "明暗"],
  "Position": ["局面", "局面"],
  "its own values": ["自身估值", "自身の評価"],
  "Paste a position": ["粘贴局面", "局面を貼り付ける"],
  "Hand": ["手牌", "手札"],
  "What is known besides": ["其他已知信息", "その他の公開情報"],
  "points": ["得分", "得点"],
  "agent": ["程序", "エージェント"],
  "win rate": ["胜率", "勝率"],
  "no results in the folder yet": ["文件夹中还没有结果", "フォルダーにはまだ結果がありません"],
  "Solve": ["求解", "解く"],
  "Small games": ["小型博弈", "小さなゲーム"],
  "Look into it": ["展开", "開く"],
  "Strategy": ["策略", "戦略"],
  "best response": ["最佳反应", "最適応答"],
  "Best response of": ["最佳反应：", "最適応答:"],
  "Strategy file": ["策略文件", "戦略ファイル"],
  "Algorithm": ["算法", "アルゴリズム"],
  "iterations": ["次迭代", "回反復"],
  "value": ["价值", "値"],
  "loses": ["损失", "損失"],
  "reached": ["到达概率", "到達確率"],
  "information sets": ["信息集", "情報集合"],
  "histories": ["历史", "履歴"],
  "start": ["开局", "開始"],
  "What the hand loses here, times how often": ["此手牌在此处的损失乘以频率", "この手札がここで失う期待値"],
  "Agents": ["程序列表", "エージェント一覧"],
  "a decision": ["每次决策", "一手の時間"],
  "points against": ["得分，对", "得点、相手:"],
  "a round, in matches of": ["每局，每场局数", "1局あたり、試合の局数:"],
  "depends on the clock": ["取决于时间", "時間による"],
  "Trainings": ["训练", "学習"],
  "Ladder": ["排行榜", "ランキング"],
  "under way": ["进行中", "進行中"],
  "decisions": ["次决策", "回の決定"],
  "steps": ["步", "ステップ"],
  "games": ["局", "局"],
  "deals": ["副牌", "回の配札"],
  "seconds": ["秒", "秒"],
  "Matches elsewhere": ["其他服务器的比赛", "他のサーバーの試合"],
  "Player": ["玩家", "プレイヤー"],
  "Take a seat": ["就座", "着席する"],
  "Give up the seat": ["离座", "席を離れる"],
  "waiting for the match to begin": ["等待比赛开始", "試合開始を待っています"],
  "wins": ["胜率", "勝率"],
  "Next mistake": ["下一个失误", "次のミス"],
  "Coach": ["教练", "コーチ"],
  "Learn": ["学习", "学ぶ"],
  "The next best, {}, gives {} points less.": ["次优的{}少{}分。", "次に良い{}は{}点少ない。"],
  "The next best, {}, lowers the chance to win by {} %.": ["次优的{}使获胜概率降低{}%。", "次に良い{}では勝つ確率が{} %下がる。"],
  "{} is about as good.": ["{}差不多同样好。", "{}もほぼ同じくらい良い。"],
  "The hand is over. Undo takes the last play back, and the review shows what it has cost.": ["本局结束。悔牌可收回最后一手，复盘显示其代价。", "終局です。「一手戻す」で最後の手を戻せます。検討ではその損失が分かります。"],
  "Watch what the others play: what they pass on, they can hardly beat.": ["留意别人的出牌：他们不出的，多半压不住。", "他の人の手を見ましょう。パスした役には、たぶん勝てません。"],
  "Sort the cards into the parts, the strongest at the back.": ["把牌分成三道，最强的放尾道。", "カードを三つに分け、最強の手をバックに置きます。"],
  "To beat: {}, by {}.": ["要压的牌：{}，出牌者{}。", "上回る相手：{}（{}）。"],
  "You lead: any play may be made.": ["由你首出，可出任意牌型。", "あなたが親です。好きな役を出せます。"],
  "Choose an action.": ["请选择行动。", "行動を選んでください。"],
  "A good player mixes: {}.": ["高手会混合选择：{}。", "良い手は混ぜて使います：{}。"],
  "Try {}.": ["试试{}。", "{}がおすすめ。"],
  "Better {}: keep your cards for a play that wins more.": ["最好{}：留着牌以后更有用。", "{}が良いでしょう。カードは後でもっと役立ちます。"],
  "Try {}: it is lifted, Play makes it.": ["试试{}：牌已抬起，点出牌即可。", "{}がおすすめ。持ち上がった札を「出す」で出せます。"],
  "{} plays are possible.": ["有{}种出法。", "{}通りの出し方があります。"],
  "Play now": ["马上玩", "すぐ遊ぶ"],
  "Rules": ["规则", "ルール"],
  "rules": ["规则", "ルール"],
  "Opponents": ["对手", "相手"],
  "easy": ["容易", "やさしい"],
  "fair": ["普通", "ふつう"],
  "strong": ["强", "強い"],
  "Search": ["搜索", "検索"],
  "hands": ["局", "局"],
  "and more: search for them": ["还有更多，请搜索", "他にもあります。検索してください"],
  "Place {} of {}": ["第{}名（共{}名）", "{}位（{}人中）"],
  "on its way …": ["正在发送…", "送信中…"],
  "being prepared, once after an installation:": ["正在准备（安装后只需一次）：", "準備中（インストール後一度だけ）:"],
  "exact, by the strategy of": ["精确值，策略：", "正確な値、戦略:"],
  "by the search of": ["搜索所得：", "探索による値:"],
  "by playouts of the game's policy": ["由对局模拟得出", "プレイアウトによる値"],
  "deals simulated, ± is a 95% interval": ["副牌的模拟，±为95%区间", "配札のシミュレーション、±は95%区間"],
  "by random playouts": ["由随机模拟得出", "ランダムなプレイアウトによる値"],
  "more than the 2 MB that the server takes": ["超过服务器可接收的2 MB", "サーバーが受け取れる2 MBを超えています"],
  "These links open on this machine only. To invite others, start closedhand web with --host.": ["这些链接只能在本机打开。要邀请他人，请用 --host 启动 closedhand web。", "このリンクはこの機械でしか開けません。他の人を招くには --host を付けて closedhand web を起動してください。"],
  "This is a server of card games. To play, open the link of a seat that its owner has sent you. The owner opens the link that the command closedhand web has printed.": ["这是一个纸牌游戏服务器。要参加，请打开主人发给你的座位链接。主人请打开命令 closedhand web 显示的链接。", "これはカードゲームのサーバーです。参加するには、持ち主から送られた席のリンクを開いてください。持ち主は、コマンド closedhand web が表示したリンクを開いてください。"],
  "these cards form no play": ["这些牌不成牌型", "この組み合わせは役になりません"],
  "true": ["是", "はい"],
  "false": ["否", "いいえ"],
  "none": ["无", "なし"],
  "random": ["随机", "ランダム"],
  "players": ["人数", "人数"],
  "Actions so far": ["已有行动", "これまでの手"],
  "Opponent": ["对手", "相手"],
  "Values": ["估值", "評価値"],
  "Sound and motion": ["声音与动画", "音と動き"],
  "Hand the device on": ["请把设备交给下一位", "端末を次の人に渡してください"],
  "It is the turn of {}": ["轮到{}", "{}の番"],
  "All persons on this device": ["所有玩家共用此设备", "全員がこの端末で遊ぶ"],
  "Past hands": ["历史牌局", "過去の局"],
  "No hand has been played to its end yet.": ["还没有打完的牌局。", "終わりまで遊んだ局はまだありません。"],
  "By opponent": ["按对手统计", "相手ごと"],
  "won": ["胜", "勝ち"],
  "Save all records": ["保存全部牌谱", "全棋譜を保存"],
  "Delete all": ["全部删除", "すべて削除"],
  "Delete for good?": ["确定永久删除？", "完全に削除しますか？"],
  "More": ["更多", "もっと見る"],
  "Turning points": ["转折点", "転換点"],
  "chance to win": ["获胜概率", "勝つ確率"],
  "Chance to win": ["获胜概率", "勝つ確率"],
  "{} to {}": ["{}→{}", "{}→{}"],
  "{} loses {}: {} does better with the cards that could be expected.": ["{}损失{}：就可预期的牌而言，{}更好。", "{}は{}の損：予想できる札では{}の方が良い。"],
  "With these cards the game did not turn.": ["就这副牌而言，局势未变。", "この配札では形勢は変わらなかった。"],
  "Here the game turned, {}.": ["局势在此转变，{}。", "ここで形勢が変わった、{}。"],
  "With these cards it gained all the same, {}.": ["就这副牌而言仍有所得，{}。", "この配札では結果的に得をした、{}。"],
  "The game turned, {}. {} may be better than {} by {}, but {} simulations do not tell them apart.": ["局势转变，{}。{}可能比{}好{}，但{}次模拟无法分辨。", "形勢が変わった、{}。{}は{}より{}良いかもしれないが、{}回のシミュレーションでは区別できない。"],
  "Open hands, exact": ["明牌，精确结果", "公開した手札の正確な結果"],
  "As if everybody saw all cards and played perfectly.": ["假设各家都看得见所有牌并走最佳着。", "全員が全ての札を見て最善を尽くした場合。"],
  "All others play against the player to act.": ["其余各家联合对抗行动者。", "手番以外の全員が手番の人に対抗する。"],
  "A forced win of {}.": ["{}必胜。", "{}の必勝。"],
  "{} gets {} if all play perfectly.": ["各家走最佳着时，{}得{}。", "全員が最善を尽くせば{}は{}点。"],
  "Unknown: {} positions in {} s do not decide it.": ["未知：{}个局面、{}秒内未能判定。", "不明：{}局面、{}秒では決まらない。"],
  "Search for 10 seconds": ["搜索10秒", "10秒探索する"],
  "unknown": ["未知", "不明"],
  "winning": ["胜", "勝ち"],
  "losing": ["负", "負け"],
  "Seat to act": ["行动的座位", "手番の席"],
  "Play to beat": ["要压的牌", "上回る役"],
  "Played by": ["出牌者", "出した席"],
  "the seat before": ["上家", "前の席"],
  "From here on {} can force the win, all hands open: {}": ["明牌来看，此后{}必胜：{}", "手札を全て公開すれば、ここから{}が必勝：{}"],
  "{} gives the win away, all hands open: {} had one by {}": ["明牌来看，{}放走了胜利：{}本可必胜：{}", "手札を全て公開すれば、{}は勝ちを逃す手：{}の必勝手順：{}"],
  "The game turned, {}, by the cards: nothing better than {} could be known.": ["局势因牌而变，{}：已知信息下没有比{}更好的。", "札の巡りで形勢が変わった、{}：{}より良い手は知りえなかった。"],
};

// The language that was chosen, else that of the browser. A saved page may have no storage.
export function preferred(): string {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem("language");
  } catch { /* it is a page of a file, or in a sandbox */ }
  const own = navigator.language.slice(0, 2);
  return kept ?? (own in LANGUAGES ? own : "en");
}

export type Translate = (key: string) => string;

// Puts values into the gaps of a text.
export const fill = (text: string, ...values: string[]) => text.split("{}").map((part, i) => part + (values[i] ?? "")).join("");

interface Template { form: RegExp; text: string }

// Terms with gaps, such as `{} does not beat {}: {}`, the longest first.
function templatesOf(terms: Record<string, string>): Template[] {
  const keys = Object.keys(terms).filter((key) => key.includes("{}")).sort((a, b) => b.length - a.length);
  const form = (key: string) => key.split("{}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("(.+?)");
  return keys.map((key) => ({ form: new RegExp(`^${form(key)}$`), text: terms[key] }));
}

export function translator(language: string, game?: Game): Translate {
  const place = language === "zh" ? 0 : language === "ja" ? 1 : -1;
  const terms = game?.terms[language] ?? {};
  const templates = templatesOf(terms);
  const t: Translate = (key) => {
    if (place < 0) return key === "c" ? "of clubs" : key === "d" ? "of diamonds" : key === "h" ? "of hearts" : key === "s" ? "of spades" : key;
    if (key in terms) return terms[key];
    const word = WORDS[key]?.[place as 0 | 1];
    if (word !== undefined) return word;
    for (const { form, text } of templates) {
      const found = form.exec(key);
      if (found) return fill(text, ...found.slice(1).map(t));
    }
    return key;
  };
  return t;
}

const GLYPHS: Record<string, string> = { c: "♣", d: "♦", h: "♥", s: "♠" };

// A mark is a term, possibly with more after it: `lock cd`, `is fugo`, `stake 3 x 2`.
export function mark(text: string, t: Translate): string {
  if (t(text) !== text) return t(text);
  const [first, ...rest] = text.split(" ");
  const others = rest.map((word) => (/^[cdhs]{1,4}$/.test(word) ? [...word].map((s) => GLYPHS[s]).join("") : t(word)));
  return [t(first), ...others].join(" ");
}
