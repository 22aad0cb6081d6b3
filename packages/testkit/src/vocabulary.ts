/** A field of work: words for the names of its servers, and the things that their tools act on. */
export interface Domain {
  readonly topic: string;
  readonly nouns: readonly string[];
}

/** The fields of work of tool servers. */
export const DOMAINS: readonly Domain[] = [
  domain(
    'code',
    'repository branch commit tag release fork diff patch milestone reviewer merge submodule license',
  ),
  domain(
    'ticket',
    'issue epic sprint backlog label board assignee comment watcher workflow estimate blocker',
  ),
  domain('chat', 'message channel thread reaction mention emoji workspace member topic reminder huddle bot'),
  domain(
    'mail',
    'email mailbox draft attachment signature recipient newsletter folder spam filter alias bounce',
  ),
  domain(
    'calendar',
    'event meeting invitation attendee availability agenda room timeslot holiday recurrence',
  ),
  domain(
    'storage',
    'file document drive revision archive upload thumbnail bucket blob quota permission checksum',
  ),
  domain(
    'database',
    'table row column index query schema view trigger transaction replica cursor snapshot backup',
  ),
  domain(
    'cloud',
    'instance cluster container image volume subnet firewall region autoscaler certificate node pod',
  ),
  domain(
    'monitoring',
    'alert dashboard metric incident log trace probe uptime runbook anomaly threshold oncall',
  ),
  domain(
    'billing',
    'invoice subscription payment refund coupon plan charge dispute payout tax receipt ledger',
  ),
  domain(
    'commerce',
    'order product cart shipment warehouse discount catalog variant return supplier barcode review',
  ),
  domain(
    'customer',
    'lead contact account deal pipeline campaign segment opportunity quote territory churn survey',
  ),
  domain(
    'travel',
    'flight hotel booking itinerary passenger airport seat visa luggage cruise layover rental',
  ),
  domain(
    'map',
    'route location address geofence distance elevation landmark coordinate district parcel trail tile',
  ),
  domain(
    'weather',
    'forecast temperature storm humidity precipitation wind sunrise pollen tide radar heatwave',
  ),
  domain(
    'finance',
    'stock portfolio dividend exchange bond option currency mortgage loan budget fund commodity',
  ),
  domain(
    'health',
    'patient appointment prescription allergy diagnosis vaccine symptom dosage ward referral scan',
  ),
  domain(
    'school',
    'course student lesson grade exam homework teacher curriculum scholarship syllabus transcript',
  ),
  domain('music', 'song playlist album artist genre lyric concert podcast station soundtrack tempo remix'),
  domain('video', 'movie trailer subtitle episode season actor stream clip premiere rating transcript frame'),
  domain(
    'food',
    'recipe ingredient restaurant menu calorie nutrient reservation kitchen delivery allergen meal',
  ),
  domain('home', 'thermostat lamp lock camera sensor scene vacuum doorbell sprinkler blind socket speaker'),
  domain(
    'sport',
    'match team player league standing fixture tournament referee transfer stadium coach workout',
  ),
  domain(
    'law',
    'contract clause court lawsuit patent trademark statute verdict witness deposition filing deed',
  ),
  domain(
    'people',
    'employee vacancy candidate interview payroll timesheet leave onboarding bonus department shift',
  ),
  domain(
    'science',
    'paper citation dataset experiment molecule genome telescope specimen hypothesis equation isotope',
  ),
  domain(
    'security',
    'vulnerability secret token policy audit intrusion malware session role fingerprint cipher scanner',
  ),
  domain(
    'language',
    'translation glossary sentence synonym dialect pronunciation summary keyword sentiment paragraph',
  ),
  domain('site', 'page domain redirect sitemap banner cookie visitor form widget theme crawler backlink'),
  domain(
    'factory',
    'machine batch assembly blueprint inventory pallet defect conveyor valve calibration gauge mould',
  ),
];

/** The actions of tools. The second word is a synonym that a person would use. */
export const VERBS: readonly (readonly [verb: string, request: string])[] = words(
  `get:fetch list:show create:add update:change delete:remove search:find count:tally export:download import:load
  archive:retire restore:recover merge:combine split:divide copy:duplicate move:relocate rename:retitle publish:release
  approve:accept reject:decline assign:allocate schedule:plan cancel:abort validate:check compare:contrast sync:synchronise
  share:send subscribe:follow mute:silence lock:freeze unlock:reopen rank:order estimate:predict convert:transform
  summarize:condense translate:localise extract:parse monitor:watch analyze:inspect generate:produce resolve:close
  escalate:raise attach:link detach:unlink preview:look tag:label rotate:renew verify:confirm notify:tell purge:wipe`,
).map((pair) => pair.split(':') as [string, string]);

/** Qualifiers. In names they come after the noun and in descriptions before it. */
export const QUALIFIERS: readonly string[] = words(
  `active archived pending overdue recent public private shared external internal nested recurring failed draft
  scheduled expired verified duplicate regional seasonal weekly monthly quarterly annual historical upcoming stale
  encrypted compressed signed anonymous premium bulk partial primary secondary default custom temporary permanent
  remote local global assigned orphaned flagged trending related linked pinned hidden starred missing incoming outgoing
  refundable taxable billable optional mandatory legacy experimental deprecated automatic manual digital printed wholesale`,
);

/** Properties of things: the names of parameters and of returned data. */
export const FIELDS: readonly string[] = words(
  `title status owner priority category color size weight price amount language country timezone version author summary
  duration deadline severity quantity latitude longitude width height format encoding channel reason source target
  visibility frequency balance score percentage currency phone website slug checksum locale environment capacity
  expiry origin destination material brand condition gender nickname username hostname port protocol namespace folder
  rank volume speed depth temperature pressure voltage discount shipping interval retention tolerance resolution accent`,
);

/** The people who use tools, are notified or asked, or are responsible. */
export const ROLES: readonly string[] = words(
  `administrator analyst engineer manager accountant designer moderator auditor librarian nurse pharmacist dispatcher
  recruiter editor journalist researcher lawyer technician operator gardener chef pilot tutor translator volunteer tenant
  landlord broker underwriter coordinator supervisor inspector curator archivist merchandiser planner scientist clerk`,
);

/** Reasons to use a tool, as the end of a sentence. */
export const PURPOSES: readonly string[] = [
  'before a release goes out',
  'during the nightly reconciliation',
  'to answer a question from support',
  'when a customer complains',
  'to prepare the board report',
  'after an outage',
  'while planning the next quarter',
  'to satisfy a compliance request',
  'when capacity runs short',
  'for a public announcement',
  'to settle a disagreement over figures',
  'ahead of a migration',
  'once a colleague has signed off',
  'to spot fraud early',
  'when a person joins or leaves',
  'to keep costs under control',
];

/** Values for enumerations, in groups that belong together. */
export const ENUMERATIONS: readonly (readonly string[])[] = [
  words('asc desc'),
  words('low medium high critical'),
  words('open closed all'),
  words('json csv xml yaml'),
  words('hour day week month year'),
  words('draft review published withdrawn'),
  words('metric imperial'),
  words('small medium large extra_large'),
  words('email sms push webhook'),
  words('read write admin'),
  words('created updated popularity relevance'),
  words('red amber green'),
  words('queued running succeeded failed cancelled'),
];

/**
 * Prefixes that make new words: "subinvoice", "preorder". They widen the vocabulary to that of real
 * catalogues.
 */
export const NOUN_PREFIXES: readonly string[] = words(
  'sub meta pre re multi micro co inter auto super cross over under counter mini mega semi',
);

/** Syllables of invented product names. */
export const SYLLABLES: readonly string[] = words(
  `ba bri cal cor da del dor el fen fi gra hal hex in jor ka kel lan lu mar mi nor nov o pel qui ra ris sal sto ta tern
  ul va vel win xa yo zen zir`,
);

function domain(topic: string, nouns: string): Domain {
  return { topic, nouns: words(nouns) };
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
