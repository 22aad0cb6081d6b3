import type { RelevanceSet } from './relevance-set.ts';

/** Japanese: three scripts in one sentence, long vowel marks, half-width katakana, inflected verbs. */
export const japanese: RelevanceSet = {
  title: 'Japanese',
  tools: [
    { name: 'create_issue', description: 'リポジトリに新しい課題（イシュー）を作成します。' },
    { name: 'close_issue', description: '課題を完了として閉じます。' },
    { name: 'send_message', description: 'チャットのチャンネルにメッセージを送信します。' },
    { name: 'book_meeting_room', description: '会議室を予約します。人数と設備を指定できます。' },
    { name: 'list_calendar_events', description: 'カレンダーの予定を期間で一覧表示します。' },
    { name: 'get_weather', description: '指定した都市の天気予報を取得します。' },
    { name: 'search_restaurant', description: '現在地の近くのレストランを検索します。' },
    { name: 'translate_text', description: '文章を別の言語に翻訳します。' },
    { name: 'list_servers', description: 'サーバーの一覧と稼働状況を表示します。' },
    { name: 'restart_server', description: 'サーバーを再起動します。実行中の処理は中断されます。' },
    { name: 'submit_expense', description: '経費を精算します。領収書の画像を添付してください。' },
    { name: 'ユーザー検索', description: '名前またはメールアドレスで社員を探します。' },
  ],
  queries: [
    { query: '明日の天気を教えて', gold: 'get_weather', why: '天気 decides; the rest is everyday filler' },
    { query: '会議室を予約したい', gold: 'book_meeting_room', why: 'desiderative form of the same verb' },
    {
      query: 'サーバを再起動してください',
      gold: 'restart_server',
      why: 'サーバ without the long mark; 再起動 decides against the list of servers',
    },
    { query: '英語に翻訳して', gold: 'translate_text', why: '翻訳 decides; te-form' },
    {
      query: 'ﾒｯｾｰｼﾞを送る',
      gold: 'send_message',
      why: 'half-width katakana, and the native verb 送る for 送信する',
    },
    { query: '領収書 精算', gold: 'submit_expense', why: 'two keywords without particles' },
    {
      query: '新しいイシューを作りたい',
      gold: 'create_issue',
      why: 'the katakana word stands in brackets in the description',
    },
    {
      query: '近くのレストラン',
      gold: 'search_restaurant',
      why: 'the words in the order of the description',
    },
    {
      query: 'ユーザを検索',
      gold: 'ユーザー検索',
      why: 'ユーザ without the long mark; the name itself is Japanese',
    },
    {
      query: '今週の予定一覧',
      gold: 'list_calendar_events',
      why: '予定 and 一覧 together; 一覧 alone is also in the list of servers',
    },
  ],
};
