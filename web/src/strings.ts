// The words of the page. Games bring their own terms.

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
  "Pass": ["不出", "パス"],
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
  "waiting for": ["等待", "待機中:"],
  "You": ["你", "あなた"],
  "You win": ["你赢了", "勝ち"],
  "You lose": ["你输了", "負け"],
  "A draw": ["平局", "引き分け"],
  "The hand is over": ["本局结束", "終局"],
  "Moves": ["出牌记录", "手順"],
  "Score": ["比分", "得点"],
  "against others on the same cards": ["同牌对比", "同じカードでの差"],
  "Total": ["合计", "合計"],
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
  "Link of this seat": ["该座位的链接", "この席のリンク"],
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
  "Judge all plays": ["评估全部出牌", "全手を評価"],
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
  "seconds": ["秒", "秒"],
  "Matches elsewhere": ["其他服务器的比赛", "他のサーバーの試合"],
  "Player": ["玩家", "プレイヤー"],
  "Take a seat": ["就座", "着席する"],
  "Give up the seat": ["离座", "席を離れる"],
  "waiting for the match to begin": ["等待比赛开始", "試合開始を待っています"],
  "wins": ["胜率", "勝率"],
  "Actions so far": ["已有行动", "これまでの手"],
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

export function translator(language: string, game?: Game): Translate {
  const place = language === "zh" ? 0 : language === "ja" ? 1 : -1;
  const terms = game?.terms[language] ?? {};
  return (key) => {
    if (place < 0) return key === "c" ? "of clubs" : key === "d" ? "of diamonds" : key === "h" ? "of hearts" : key === "s" ? "of spades" : key;
    if (key in terms) return terms[key];
    return WORDS[key]?.[place as 0 | 1] ?? key;
  };
}

const GLYPHS: Record<string, string> = { c: "♣", d: "♦", h: "♥", s: "♠" };

// A mark is a term, possibly with more after it: `lock cd`, `is fugo`, `stake 3 x 2`.
export function mark(text: string, t: Translate): string {
  if (t(text) !== text) return t(text);
  const [first, ...rest] = text.split(" ");
  const others = rest.map((word) => (/^[cdhs]{1,4}$/.test(word) ? [...word].map((s) => GLYPHS[s]).join("") : t(word)));
  return [t(first), ...others].join(" ");
}
