import type { RelevanceSet } from './relevance-set.ts';

/** Hebrew: glued prefixes, and texts with or without vowel points. */
export const hebrew: RelevanceSet = {
  title: 'Hebrew',
  tools: [
    { name: 'create_invoice', description: 'יצירת חשבונית חדשה ללקוח.' },
    { name: 'send_email', description: 'שליחת הודעת דואר אלקטרוני לנמען אחד או יותר.' },
    { name: 'weather', description: 'תחזית מזג אוויר לעיר מסוימת.' },
    { name: 'book_flight', description: 'הזמנת טיסה בין שתי ערים.' },
    { name: 'book_room', description: 'הזמנת חדר ישיבות לשעה מסוימת.' },
    { name: 'request_leave', description: 'הגשת בקשה לחופשה למנהל.' },
    { name: 'translate', description: 'תרגום טקסט לשפה אחרת.' },
    { name: 'find_employee', description: 'חיפוש עובד לפי שם או מחלקה.' },
  ],
  queries: [
    { query: 'מה מזג האוויר מחר', gold: 'weather', why: 'מזג decides; אוויר has the article here' },
    { query: 'הזמנת טיסה לאתונה', gold: 'book_flight', why: 'טיסה decides between the two bookings' },
    { query: 'תרגום לאנגלית', gold: 'translate', why: 'תרגום decides' },
    { query: 'חשבונית חדשה', gold: 'create_invoice', why: 'the very words of the description' },
    { query: 'תַּרְגּוּם טֶקְסְט', gold: 'translate', why: 'with vowel points, which the description leaves out' },
    { query: 'חדר ישיבות פנוי', gold: 'book_room', why: 'חדר ישיבות decides' },
    {
      query: 'אני רוצה לצאת לחופשה',
      gold: 'request_leave',
      why: 'לחופשה with the same prefix as in the description',
    },
  ],
};
