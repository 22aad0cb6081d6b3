import type { RelevanceSet } from './relevance-set.ts';

/** Russian: queries in other cases, numbers and verb aspects than the descriptions, and ё written as е. */
export const russian: RelevanceSet = {
  title: 'Russian',
  tools: [
    {
      name: 'create_task',
      description: 'Создаёт новую задачу в трекере с описанием, исполнителем и сроком.',
    },
    { name: 'close_task', description: 'Закрывает задачу и записывает результат.' },
    { name: 'send_letter', description: 'Отправляет электронное письмо одному или нескольким получателям.' },
    { name: 'weather_forecast', description: 'Прогноз погоды для города на ближайшие дни.' },
    { name: 'list_invoices', description: 'Список неоплаченных счетов за период.' },
    { name: 'refund', description: 'Возврат денег покупателю по номеру заказа.' },
    { name: 'vacation_request', description: 'Оформляет заявление на отпуск и отправляет его руководителю.' },
    { name: 'translate', description: 'Перевод текста на другой язык.' },
    { name: 'sales_report', description: 'Отчёт о продажах по регионам и менеджерам.' },
    { name: 'restart_server', description: 'Перезапускает сервер. Текущие соединения обрываются.' },
    { name: 'найти_сотрудника', description: 'Ищет сотрудника по имени, отделу или телефону.' },
  ],
  queries: [
    {
      query: 'какая завтра погода в Казани',
      gold: 'weather_forecast',
      why: 'nominative погода, genitive погоды in the description',
    },
    {
      query: 'создать задачу',
      gold: 'create_task',
      why: 'infinitive of the verb; the other tool has задачу as well',
    },
    { query: 'закрой все мои задачи', gold: 'close_task', why: 'imperative and plural' },
    {
      query: 'написать заявление об отпуске',
      gold: 'vacation_request',
      why: 'отпуск in the prepositional case',
    },
    {
      query: 'показать отчет по продажам',
      gold: 'sales_report',
      why: 'е for ё, and the dative plural of продажи',
    },
    { query: 'неоплаченные счета', gold: 'list_invoices', why: 'nominative plural of words in the genitive' },
    {
      query: 'вернуть деньги за заказ',
      gold: 'refund',
      why: 'деньги and заказ in other cases; the verb has another stem than возврат',
    },
    { query: 'перезапусти сервера', gold: 'restart_server', why: 'imperative, and the plural of сервер' },
    {
      query: 'найти телефон сотрудницы',
      gold: 'найти_сотрудника',
      why: 'Cyrillic identifier, feminine form of the noun',
    },
    { query: 'ПЕРЕВОД ТЕКСТА', gold: 'translate', why: 'capitals' },
  ],
};
