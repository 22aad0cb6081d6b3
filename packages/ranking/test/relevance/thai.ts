import type { RelevanceSet } from './relevance-set.ts';

/** Thai: no spaces between words, vowel and tone marks above and below the letters. */
export const thai: RelevanceSet = {
  title: 'Thai',
  tools: [
    { name: 'create_invoice', description: 'สร้างใบแจ้งหนี้ใหม่ให้ลูกค้า' },
    { name: 'send_email', description: 'ส่งอีเมลถึงผู้รับหนึ่งคนหรือหลายคน' },
    { name: 'weather', description: 'พยากรณ์อากาศของเมืองที่เลือก' },
    { name: 'book_flight', description: 'จองตั๋วเครื่องบินระหว่างสองเมือง' },
    { name: 'book_room', description: 'จองห้องประชุมตามเวลาที่กำหนด' },
    { name: 'request_leave', description: 'ยื่นคำขอลาพักร้อนต่อหัวหน้า' },
    { name: 'translate', description: 'แปลข้อความเป็นภาษาอื่น' },
    { name: 'track_parcel', description: 'ติดตามสถานะพัสดุด้วยหมายเลขติดตาม' },
  ],
  queries: [
    { query: 'พรุ่งนี้อากาศเป็นอย่างไร', gold: 'weather', why: 'อากาศ decides, inside an unbroken sentence' },
    {
      query: 'อยากจองตั๋วเครื่องบินไปเชียงใหม่',
      gold: 'book_flight',
      why: 'the booking of rooms begins with จอง too',
    },
    { query: 'จองห้องประชุม', gold: 'book_room', why: 'the first words of the description' },
    { query: 'แปลเป็นภาษาอังกฤษ', gold: 'translate', why: 'แปล and ภาษา with another word between them' },
    { query: 'พัสดุของฉันอยู่ที่ไหน', gold: 'track_parcel', why: 'พัสดุ decides' },
    { query: 'ส่งอีเมล', gold: 'send_email', why: 'the first words of the description' },
    { query: 'ขอลาพักร้อนสามวัน', gold: 'request_leave', why: 'ลาพักร้อน decides' },
  ],
};
