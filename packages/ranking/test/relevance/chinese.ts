import type { RelevanceSet } from './relevance-set.ts';

/** Simplified Chinese, and traditional queries where the deciding characters are the same in both. */
export const chinese: RelevanceSet = {
  title: 'Chinese',
  tools: [
    { name: 'create_calendar_event', description: '在日历中创建新的会议或日程，并邀请参与者。' },
    { name: 'cancel_calendar_event', description: '取消已安排的会议，并通知所有参与者。' },
    { name: 'send_email', description: '向一个或多个收件人发送电子邮件，可以带附件。' },
    { name: 'search_email', description: '按关键词、发件人或日期搜索邮箱中的邮件。' },
    { name: 'query_weather', description: '查询指定城市未来几天的天气预报，包括温度和降雨概率。' },
    { name: 'convert_currency', description: '按照当天汇率把一种货币换算成另一种货币。' },
    { name: 'book_train_ticket', description: '预订火车票，可选择车次、座位和出发时间。' },
    { name: 'refund_order', description: '为已付款的订单办理退款，可以全额或部分退款。' },
    { name: 'track_package', description: '根据快递单号查询包裹的物流状态。' },
    { name: 'translate_document', description: '把整篇文档翻译成另一种语言，并保留原来的排版。' },
    {
      name: 'upload_file',
      description: '上传文件到云盘。',
      definition: {
        parameters: {
          type: 'object',
          properties: { folder: { type: 'string', description: '目标文件夹，默认为根目录' } },
        },
      },
    },
    { name: '查询数据库', description: '执行只读的 SQL 语句并返回结果。' },
  ],
  queries: [
    {
      query: '明天北京天气怎么样',
      gold: 'query_weather',
      why: 'only the word 天气 is shared; the rest is filler',
    },
    {
      query: '帮我把这个会议取消',
      gold: 'cancel_calendar_event',
      why: 'the verb stands behind its object, unlike in the description',
    },
    {
      query: '发邮件给财务部',
      gold: 'send_email',
      why: '发邮件 shortens 发送电子邮件, so that only 邮件 is shared, and the shorter search tool has it too',
      within: 2,
    },
    {
      query: '买一张去上海的火车票',
      gold: 'book_train_ticket',
      why: '火车票 decides; another verb than in the description',
    },
    { query: '客户要求退款', gold: 'refund_order', why: '退款 is in one tool only' },
    { query: '我的快递到哪里了', gold: 'track_package', why: '快递 decides' },
    { query: '美元换算人民币 汇率', gold: 'convert_currency', why: 'keywords in another order' },
    {
      query: '這筆訂單要退款',
      gold: 'refund_order',
      why: 'traditional characters; 退款 is the same in both',
    },
    {
      query: '翻譯文檔並保留排版',
      gold: 'translate_document',
      why: 'traditional characters; 保留 and 排版 are the same in both',
    },
    { query: '電子郵件附件', gold: 'send_email', why: 'traditional characters; 附件 is the same in both' },
    { query: '执行ＳＱＬ语句', gold: '查询数据库', why: 'full-width Latin letters inside Chinese' },
  ],
};
