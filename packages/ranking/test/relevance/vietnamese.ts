import type { RelevanceSet } from './relevance-set.ts';

/** Vietnamese: two marks on one vowel, đ, syllables written apart, and queries without tones. */
export const vietnamese: RelevanceSet = {
  title: 'Vietnamese',
  tools: [
    { name: 'tao_hoa_don', description: 'Tạo hóa đơn mới cho khách hàng.' },
    { name: 'gui_email', description: 'Gửi thư điện tử cho một hoặc nhiều người nhận.' },
    { name: 'du_bao_thoi_tiet', description: 'Dự báo thời tiết cho một thành phố trong những ngày tới.' },
    { name: 'dat_phong_hop', description: 'Đặt phòng họp theo giờ và số người.' },
    { name: 'dat_ve_may_bay', description: 'Đặt vé máy bay giữa hai thành phố.' },
    { name: 'xin_nghi_phep', description: 'Gửi đơn xin nghỉ phép cho quản lý.' },
    { name: 'theo_doi_don_hang', description: 'Theo dõi tình trạng giao hàng của đơn hàng.' },
    { name: 'dich_van_ban', description: 'Dịch văn bản sang ngôn ngữ khác.' },
  ],
  queries: [
    { query: 'thời tiết Hà Nội ngày mai', gold: 'du_bao_thoi_tiet', why: 'thời tiết decides' },
    {
      query: 'dat ve may bay di Da Nang',
      gold: 'dat_ve_may_bay',
      why: 'typed without any mark; đặt also begins another tool',
    },
    {
      query: 'đặt phòng họp chiều nay',
      gold: 'dat_phong_hop',
      why: 'đ is no d with an accent in Unicode; the name has d',
    },
    { query: 'xin nghỉ phép hai ngày', gold: 'xin_nghi_phep', why: 'the very words of the description' },
    {
      query: 'đơn hàng của tôi đang ở đâu',
      gold: 'theo_doi_don_hang',
      why: 'đơn and hàng each stand in other tools, together only here',
    },
    { query: 'dịch sang tiếng Anh', gold: 'dich_van_ban', why: 'dịch and sang decide' },
    { query: 'tạo hoá đơn', gold: 'tao_hoa_don', why: 'the new placement of the tone mark (hoá for hóa)' },
  ],
};
