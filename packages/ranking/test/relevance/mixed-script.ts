import type { RelevanceSet } from './relevance-set.ts';

/** Two scripts in one query: product names, identifiers and technical words stay Latin in every language. */
export const mixedScript: RelevanceSet = {
  title: 'mixed scripts',
  tools: [
    { name: 'github_create_issue', description: 'Create an issue in a GitHub repository.' },
    { name: 'github_list_pull_requests', description: 'List the pull requests of a GitHub repository.' },
    { name: 'slack_send_message', description: 'SlackのチャンネルにメッセージをPOSTします。' },
    { name: 'sql_run', description: '执行SQL查询并以CSV格式返回结果。' },
    { name: 'docker_logs', description: 'Показывает логи контейнера Docker.' },
    { name: 'docker_restart', description: 'Перезапускает контейнер Docker.' },
    { name: 'pdf_to_text', description: 'PDF 파일에서 텍스트를 추출합니다.' },
    { name: 'zoom_create_meeting', description: '创建Zoom会议并发送邀请链接。' },
    { name: 'vpn_status', description: 'Zeigt, ob die VPN-Verbindung steht.' },
    { name: 's3_upload', description: 'S3バケットにファイルをアップロードします。' },
    { name: 'whatsapp_send', description: 'إرسال رسالة عبر WhatsApp.' },
  ],
  queries: [
    {
      query: 'GitHubのissueを作成',
      gold: 'github_create_issue',
      why: 'Latin words touch kana without a space',
    },
    {
      query: 'GitHubのpull requestの一覧',
      gold: 'github_list_pull_requests',
      why: 'both GitHub tools share the first word',
    },
    {
      query: 'Slackにメッセージを送って',
      gold: 'slack_send_message',
      why: 'one Latin and one katakana word',
    },
    {
      query: '用SQL查询用户表',
      gold: 'sql_run',
      why: 'a Latin word between Chinese characters, on both sides',
    },
    { query: '打开一个Zoom会议', gold: 'zoom_create_meeting', why: 'the Latin word and 会议' },
    {
      query: 'логи docker контейнера',
      gold: 'docker_logs',
      why: 'логи decides between the two Docker tools',
    },
    {
      query: 'перезапусти контейнер в Docker',
      gold: 'docker_restart',
      why: 'imperative; the noun and the product are in both tools',
    },
    {
      query: 'PDF에서 텍스트 추출',
      gold: 'pdf_to_text',
      why: 'a Latin word with a Korean particle glued to it',
    },
    { query: 'Ｓ３にアップロード', gold: 's3_upload', why: 'full-width letter and digit' },
    {
      query: 'أرسل رسالة whatsapp',
      gold: 'whatsapp_send',
      why: 'right-to-left and left-to-right words, Latin in lower case',
    },
  ],
};
