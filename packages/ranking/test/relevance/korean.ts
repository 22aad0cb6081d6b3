import type { RelevanceSet } from './relevance-set.ts';

/** Korean: particles and endings are glued to the word, so whole words seldom repeat. */
export const korean: RelevanceSet = {
  title: 'Korean',
  tools: [
    { name: 'create_event', description: '캘린더에 새 일정을 등록하고 참석자를 초대합니다.' },
    { name: 'cancel_event', description: '등록된 일정을 취소하고 참석자에게 알립니다.' },
    { name: 'send_mail', description: '받는 사람에게 이메일을 보냅니다. 첨부 파일을 추가할 수 있습니다.' },
    { name: 'get_weather', description: '도시의 현재 날씨와 주간 예보를 조회합니다.' },
    { name: 'refund_payment', description: '결제된 금액을 고객에게 환불합니다.' },
    { name: 'list_orders', description: '기간별 주문 목록을 조회합니다.' },
    { name: 'track_delivery', description: '운송장 번호로 택배 배송 상태를 확인합니다.' },
    { name: 'translate_text', description: '문장을 다른 언어로 번역합니다.' },
    { name: 'request_leave', description: '휴가를 신청합니다. 승인은 팀장이 합니다.' },
    { name: 'search_files', description: '공유 드라이브에서 파일과 폴더를 검색합니다.' },
  ],
  queries: [
    {
      query: '내일 서울 날씨 알려줘',
      gold: 'get_weather',
      why: '날씨 without the particle that it has in the description',
    },
    { query: '휴가 신청하고 싶어요', gold: 'request_leave', why: 'another ending of the same verb' },
    {
      query: '고객이 환불을 원합니다',
      gold: 'refund_payment',
      why: '환불 as a noun; in the description it is part of a verb',
    },
    { query: '택배는 어디쯤 왔나요', gold: 'track_delivery', why: '택배 decides, with a topic particle' },
    { query: '영어로 번역해 줘', gold: 'translate_text', why: '번역 decides; the ending differs' },
    { query: '지난달 주문 목록', gold: 'list_orders', why: '주문 decides' },
    { query: '이메일 보내기', gold: 'send_mail', why: 'nominal form of 보내다' },
    { query: '회의 일정 취소', gold: 'cancel_event', why: '취소 decides between the two tools about 일정' },
  ],
};
