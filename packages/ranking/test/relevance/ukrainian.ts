import type { RelevanceSet } from './relevance-set.ts';

/** Ukrainian: і, ї, є, ґ and the apostrophe, and seven cases. */
export const ukrainian: RelevanceSet = {
  title: 'Ukrainian',
  tools: [
    { name: 'create_event', description: 'Створює зустріч у календарі та запрошує учасників.' },
    { name: 'book_ticket', description: 'Бронює квиток на потяг або автобус.' },
    { name: 'weather', description: 'Прогноз погоди на тиждень для вибраного міста.' },
    { name: 'send_parcel', description: 'Оформлює відправлення посилки кур’єром.' },
    { name: 'track_parcel', description: 'Показує, де зараз перебуває посилка, за номером накладної.' },
    { name: 'pay_bill', description: 'Сплачує рахунок за комунальні послуги.' },
    { name: 'find_doctor', description: 'Шукає лікаря за спеціальністю та записує на прийом.' },
    { name: 'exchange_rate', description: 'Показує курс валют Національного банку на дату.' },
    { name: 'write_letter', description: 'Надсилає лист електронною поштою.' },
  ],
  queries: [
    {
      query: 'яка погода буде у Львові',
      gold: 'weather',
      why: 'nominative погода, genitive погоди in the description',
    },
    {
      query: 'забронювати два квитки на потяг',
      gold: 'book_ticket',
      why: 'plural of квиток; потяг is the same',
    },
    {
      query: 'де моя посилка',
      gold: 'track_parcel',
      why: 'посилка in the nominative, as in this description; the other one has the genitive',
    },
    {
      query: 'викликати курʼєра',
      gold: 'send_parcel',
      why: 'another apostrophe (U+02BC for U+2019) and another case',
    },
    { query: 'оплатити рахунки', gold: 'pay_bill', why: 'plural of рахунок; the verb has another prefix' },
    {
      query: 'запис до лікаря',
      gold: 'find_doctor',
      why: 'genitive, the same as the accusative in the description',
    },
    { query: 'курси валют', gold: 'exchange_rate', why: 'plural of курс' },
    { query: 'створити зустріч', gold: 'create_event', why: 'infinitive of the verb' },
  ],
};
