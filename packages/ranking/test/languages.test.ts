import { expect, test } from 'vitest';
import { buildCatalogueOf } from '../src/catalogue/catalogue.ts';
import { noPause } from '../src/ranker.ts';
import { selectTools } from '../src/search/select-tools.ts';

/** Descriptions of the same tools, and the examples of docs/reference/languages.md: the best tool of each request. */
const LANGUAGES = {
  Chinese: {
    descriptions: {
      send_mail: '发送电子邮件。',
      book_hotel: '预订酒店房间。',
      get_weather: '获取指定城市的天气预报。',
      list_orders: '查询用户的订单。',
    },
    requests: {
      帮我订一家酒店: 'book_hotel',
      幫我訂一家酒店: 'book_hotel',
      請查詢我的訂單: 'list_orders',
    },
  },
  Japanese: {
    descriptions: {
      send_mail: 'メールを送信します。',
      list_mail: '受信したメールを一覧表示します。',
      search_flights: '出発地と目的地から航空券を検索します。',
      book_hotel: 'ホテルの部屋を予約します。',
      cancel_booking: '予約をキャンセルします。',
      get_weather: '指定した都市の天気予報を取得します。',
      create_event: 'カレンダーに会議の予定を追加します。',
      convert_currency: '金額を別の通貨に換算します。',
      create_invoice: '請求書を作成します。',
    },
    requests: {
      ホテルを予約したい: 'book_hotel',
      東京の天気を教えて: 'get_weather',
      明日の会議を入れて: 'create_event',
      予約を取り消して: 'cancel_booking',
      ドルを円に換えて: 'convert_currency',
      日程を調整: undefined,
      'book a hotel': 'book_hotel',
    },
  },
  Korean: {
    descriptions: {
      send_mail: '이메일을 보냅니다.',
      list_mail: '받은 이메일 목록을 보여 줍니다.',
      search_flights: '출발지와 목적지로 항공권을 검색합니다.',
      book_hotel: '호텔 객실을 예약합니다.',
      cancel_booking: '예약을 취소합니다.',
      get_weather: '지정한 도시의 일기 예보를 가져옵니다.',
      create_event: '캘린더에 회의 일정을 추가합니다.',
      convert_currency: '금액을 다른 통화로 환산합니다.',
      create_invoice: '청구서를 작성합니다.',
    },
    requests: {
      '호텔 예약해 줘': 'book_hotel',
      '서울의 일기예보': 'get_weather',
      '회의 일정 잡아줘': 'create_event',
      '이메일 보내 줘': 'send_mail',
      '달러를 원으로 환전': undefined,
      '서울 날씨 알려줘': undefined,
      'book a hotel': 'book_hotel',
    },
  },
} as const;

test.each(
  Object.entries(LANGUAGES).flatMap(([language, { descriptions, requests }]) =>
    Object.entries<string | undefined>(requests).map(
      ([request, best]) => [language, request, best, descriptions] as const,
    ),
  ),
)('%s: %s finds %s first', async (_, pattern, best, descriptions) => {
  const documents = Object.entries(descriptions).map(([name, description]) => ({
    ...{ name, description, parameters: [] },
  }));
  const query = { pattern, topK: 3, alwaysKeep: [], searchType: 'auto' as const };
  const { names } = await selectTools(buildCatalogueOf(documents), query, noPause);
  expect(names[0]).toBe(best);
});
