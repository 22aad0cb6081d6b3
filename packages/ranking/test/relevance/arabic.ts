import type { RelevanceSet } from './relevance-set.ts';

/** Arabic: the article and prepositions are glued to the word; alef and taa marbuta are spelt in several ways. */
export const arabic: RelevanceSet = {
  title: 'Arabic',
  tools: [
    { name: 'create_invoice', description: 'إنشاء فاتورة جديدة لعميل مع بنود وضريبة.' },
    { name: 'send_email', description: 'إرسال رسالة بريد إلكتروني إلى شخص أو أكثر.' },
    { name: 'weather', description: 'توقعات الطقس في مدينة معينة للأيام القادمة.' },
    { name: 'book_flight', description: 'حجز رحلة طيران بين مدينتين واختيار المقعد.' },
    { name: 'book_room', description: 'حجز قاعة اجتماعات في وقت محدد.' },
    { name: 'request_leave', description: 'تقديم طلب إجازة إلى المدير.' },
    { name: 'translate', description: 'ترجمة نص من لغة إلى لغة أخرى.' },
    { name: 'track_shipment', description: 'تتبع الشحنة بواسطة رقم التتبع.' },
    { name: 'account_balance', description: 'عرض رصيد الحساب المصرفي.' },
  ],
  queries: [
    {
      query: 'كيف الطقس غدا في عمان',
      gold: 'weather',
      why: 'الطقس decides, with the article as in the description',
    },
    {
      query: 'ترجمة هذا النص إلى الإنجليزية',
      gold: 'translate',
      why: 'ترجمة decides; نص has the article here',
    },
    { query: 'انشاء فاتورة', gold: 'create_invoice', why: 'alef without its hamza' },
    { query: 'حجز رحلة إلى دبي', gold: 'book_flight', why: 'رحلة decides between the two bookings' },
    { query: 'أريد طلب اجازة', gold: 'request_leave', why: 'alef without its hamza, in a sentence' },
    {
      query: 'أين شحنتي؟ أريد تتبع الشحنة',
      gold: 'track_shipment',
      why: 'Arabic question mark; the second half has the words of the description',
    },
    {
      query: 'رصيد حسابي',
      gold: 'account_balance',
      why: 'رصيد decides; the other word has a possessive suffix',
    },
    { query: 'إِرْسَالُ رِسَالَةٍ', gold: 'send_email', why: 'with vowel marks, which the description leaves out' },
  ],
};
