import type { ModelPlan, PlannedCall, PlannedStep } from '../src/model/model-plan.ts';

/** A conversation of several turns in which a gateway must leave no trace. */
export interface Scenario {
  /** Its special feature, as the end of "a conversation with …". */
  readonly name: string;
  /** The user's messages, one for each turn. At least four. */
  readonly messages: readonly string[];
  readonly plan: ModelPlan;
  /** Number of searches that a gateway resolves in the whole conversation if each query finds its tools. */
  readonly searches: number;
}

/** The tools that the scenarios call. Each query below contains two words of the wanted name. */
export const SCENARIO_TOOLS: readonly string[] = [
  'get_weather_forecast',
  'send_email_message',
  'convert_currency_amount',
  'translate_text_passage',
  'book_train_ticket',
];

const WEATHER = { name: 'get_weather_forecast', input: { city: 'Köln' } };
const WEATHER_AGAIN = { name: 'get_weather_forecast', input: { city: '北京', days: 3 } };
const EMAIL = { name: 'send_email_message', input: { recipient: 'Ada "the first" 🌦' } };
const CURRENCY = { name: 'convert_currency_amount', input: { amount: 12.5, to: 'EUR' } };
const TRANSLATION = { name: 'translate_text_passage', input: { passage: 'line one\nline two' } };
const TRAIN = { name: 'book_train_ticket', input: { station: 'Bonn', seats: { window: true } } };

const WEATHER_QUERY = 'weather forecast for a city';
const EMAIL_QUERY = 'send an email message';
const CURRENCY_QUERY = 'convert currency amount';
const TRANSLATION_QUERY = 'translate text passage';
const TRAIN_QUERY = 'book train ticket';

/**
 * The conversations of the product's promise: what a client gets through a gateway equals what it gets from the provider with
 * all tools, in each of them.
 *
 * Each starts without a loaded tool.
 */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a search before each call',
    messages: ['How is the weather?', 'Tell Ada.', 'What does it cost?', 'Thank you.'],
    plan: {
      turns: [
        { steps: [find(WEATHER_QUERY, WEATHER)] },
        { steps: [{ ...find(EMAIL_QUERY, EMAIL), say: 'I will write to her. ' }] },
        { steps: [find(CURRENCY_QUERY, CURRENCY)], answer: 'Not much — 12.50 € in all.' },
        { answer: 'You are welcome ✓' },
      ],
    },
    searches: 3,
  },
  {
    name: 'a second search because the first one was not enough',
    messages: ['How is the weather?', 'Tell Ada.', 'And in Beijing?', 'Thank you.'],
    plan: {
      turns: [
        { steps: [{ searchFor: [CURRENCY_QUERY, WEATHER_QUERY], thenCall: [WEATHER] }] },
        { steps: [{ searchFor: [TRAIN_QUERY, TRANSLATION_QUERY, EMAIL_QUERY], thenCall: [EMAIL] }] },
        { steps: [call(WEATHER_AGAIN)] },
        {},
      ],
    },
    searches: 5,
  },
  {
    name: 'searches and calls side by side',
    messages: ['Weather, and tell Ada.', 'Both again.', 'Translate it, and book.', 'Thank you.'],
    plan: {
      turns: [
        { steps: [{ searchFor: [[WEATHER_QUERY, EMAIL_QUERY]], thenCall: [WEATHER, EMAIL] }] },
        { steps: [call(EMAIL, WEATHER_AGAIN)] },
        {
          steps: [
            {
              searchFor: [[TRANSLATION_QUERY, TRAIN_QUERY, TRANSLATION_QUERY]],
              thenCall: [TRANSLATION, TRAIN],
            },
          ],
        },
        {},
      ],
    },
    searches: 5,
  },
  {
    name: 'a search behind a real call in one answer',
    messages: ['How is the weather?', 'Look again, then tell Ada.', 'And once more.', 'Thank you.'],
    plan: {
      turns: [
        { steps: [find(WEATHER_QUERY, WEATHER)] },
        { steps: [{ thenCall: [WEATHER_AGAIN], searchBeside: [EMAIL_QUERY] }, find(EMAIL_QUERY, EMAIL)] },
        { steps: [call(EMAIL), call(WEATHER)] },
        {},
      ],
    },
    searches: 2,
  },
  {
    name: 'searches before a real call in one answer',
    messages: ['How is the weather?', 'Look again, tell Ada, and book.', 'And once more.', 'Thank you.'],
    plan: {
      turns: [
        { steps: [find(WEATHER_QUERY, WEATHER)] },
        {
          steps: [
            {
              thenCall: [WEATHER_AGAIN],
              searchBeside: [EMAIL_QUERY, TRAIN_QUERY],
              besidePosition: 'before',
              say: 'Both. ',
            },
            { searchFor: [[EMAIL_QUERY, TRAIN_QUERY]], thenCall: [EMAIL, TRAIN] },
          ],
        },
        { steps: [call(TRAIN, EMAIL)] },
        {},
      ],
    },
    searches: 3,
  },
  {
    name: 'several steps in one turn, some of them with a search',
    messages: ['Plan my trip.', 'Change it.', 'Tell Ada.', 'Thank you.'],
    plan: {
      turns: [
        { steps: [find(WEATHER_QUERY, WEATHER), find(TRAIN_QUERY, TRAIN), call(WEATHER_AGAIN)] },
        { steps: [call(TRAIN), find(CURRENCY_QUERY, CURRENCY)] },
        { steps: [find(EMAIL_QUERY, EMAIL)] },
        {},
      ],
    },
    searches: 4,
  },
  {
    name: 'no search and no call',
    messages: ['Hello.', 'How are you?', 'Good.', 'Bye.'],
    plan: { turns: [{ answer: 'Hello! 👋' }, { answer: 'Fine.' }, {}, { answer: 'Bye.' }] },
    searches: 0,
  },
  {
    name: 'a model that does not stop searching',
    messages: ['How is the weather?', 'And in Beijing?', 'Once more.', 'Thank you.'],
    plan: {
      turns: [
        { steps: [{ ...find(TRAIN_QUERY, WEATHER), keepsSearching: 'until-all-is-loaded' }] },
        { steps: [call(WEATHER_AGAIN)] },
        { steps: [find(WEATHER_QUERY, WEATHER)] },
        {},
      ],
    },
    // The gateway's limit; then everything is shown.
    searches: 5,
  },
];

function find(query: string, ...thenCall: PlannedCall[]): PlannedStep {
  return { searchFor: [query], thenCall };
}

function call(...thenCall: PlannedCall[]): PlannedStep {
  return { thenCall };
}
