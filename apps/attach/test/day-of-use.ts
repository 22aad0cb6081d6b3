/** Tools of a small company, by the MCP server that they come from. */
export const COMPANY_TOOLS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  github: {
    create_issue: 'Open a new issue in a repository',
    list_issues: 'List the issues of a repository',
    create_pull_request: 'Open a pull request from a branch',
    merge_pull_request: 'Merge a pull request',
    search_code: 'Search for code in repositories',
    get_file_contents: 'Read a file of a repository',
  },
  calendar: {
    create_event: 'Create an event in the calendar',
    list_events: 'List the events of a day',
    delete_event: 'Delete an event from the calendar',
    find_free_time: 'Find a time at which all guests are free',
  },
  mail: {
    send_email: 'Send an email to someone',
    search_emails: 'Search the mailbox for emails',
    list_unread_emails: 'List emails that were not read yet',
    archive_email: 'Move an email to the archive',
  },
  maps: {
    get_directions: 'Directions from one place to another',
    find_restaurants: 'Find restaurants near a place',
    get_weather: 'Weather forecast of a place',
  },
  files: {
    read_document: 'Read a document from the shared drive',
    search_documents: 'Search documents on the shared drive',
    share_document: 'Share a document with someone',
    create_spreadsheet: 'Create a spreadsheet on the shared drive',
    draw_chart: 'Draw a chart of the numbers in a spreadsheet',
  },
  money: {
    create_invoice: 'Write an invoice for a customer',
    list_invoices: 'List invoices that are not paid yet',
    convert_currency: 'Convert an amount from one currency to another',
    get_stock_price: 'Price of a share on the stock market',
    refund_payment: 'Pay back what a customer has paid',
  },
  people: {
    find_employee: 'Find an employee by name or team',
    request_vacation: 'Request days of vacation',
    approve_vacation: 'Approve the vacation of an employee',
    book_flight: 'Book a flight for a journey',
    book_hotel: 'Book a hotel room for a journey',
  },
};

/** Three agents, by the names of what they have in the morning. */
export const AGENTS: readonly (readonly string[])[] = [
  [],
  [
    'get_weather',
    'convert_currency',
    'find_employee',
    'book_hotel',
    'draw_chart',
    'merge_pull_request',
    'archive_email',
    'list_events',
    'refund_payment',
  ],
  Object.values(COMPANY_TOOLS)
    .flatMap((tools) => Object.keys(tools))
    .slice(0, 25),
];

/** Twenty requests, in order: which agent, and what it is about to do. */
export const REQUESTS: readonly { readonly agent: number; readonly body: object }[] = [
  { agent: 0, body: { query: 'open an issue about the broken login' } },
  { agent: 1, body: { query: 'which emails have I not read yet?' } },
  { agent: 2, body: { query: 'find a free time and create an event for the team', min_score: 50 } },
  { agent: 0, body: { query: 'search the code, then open a pull request', limit: 5 } },
  { agent: 1, body: { query: 'send an email to the customer with the invoice', min_score: 45 } },
  { agent: 2, body: { query: '' } },
  { agent: 2, body: { query: 'book a flight and a hotel for the journey to Lisbon', min_score: 40 } },
  { agent: 0, body: { query: 'merge_pull_request' } },
  { agent: 1, body: { query: 'draw a chart of unpaid invoices', min_score: 55, auto_prune: false } },
  { agent: 2, body: { query: 'what will the weather be, and where can we eat?' } },
  { agent: 0, body: { query: 'xyzzy plugh' } },
  { agent: 0, body: { query: 'list the issues of the repository and read a file', min_score: 60 } },
  { agent: 1, body: { query: 'convert 300 dollars to euros' } },
  { agent: 2, body: { query: 'approve the vacation of an employee', limit: 3, min_score: 70 } },
  { agent: 1, body: { query: 'share the document with the team and delete the event' } },
  { agent: 0, body: { query: 'search documents and draw charts', limit: 25, min_score: 0 } },
  { agent: 2, body: { query: 'refund what the customer has paid' } },
  { agent: 1, body: { query: 'directions to the restaurant', limit: 25, min_score: 30 } },
  {
    agent: 0,
    body: { query: 'create everything: events, invoices, issues, spreadsheets', limit: 25, min_score: 20 },
  },
  { agent: 2, body: { query: 'thanks, that is all for today' } },
];
