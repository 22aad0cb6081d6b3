/** A requirement of the registry, and the level that proves it. */
export interface Rule {
  readonly id: `R${number}`;
  readonly sentence: string;
  /** Proved by tests of the library, of the service over HTTP, or both. The name of each such test begins with the id. */
  readonly level: 'L' | 'H' | 'LH';
}

const rule = (id: Rule['id'], level: Rule['level'], sentence: string): Rule => ({ id, level, sentence });

/** All rules by number. R59 was dropped. */
export const RULES: readonly Rule[] = [
  // Registering
  rule('R1', 'L', 'With a namespace the id is namespace:name; without one it is the name.'),
  rule('R2', 'LH', 'A tool with an impossible name, namespace, schema, size, depth or text is refused.'),
  rule(
    'R3',
    'L',
    'A schema with an external reference is stored and marked; the reference is never followed.',
  ),
  rule('R4', 'LH', 'A backend with an empty field is refused; backends are compared field by field.'),
  rule(
    'R5',
    'LH',
    'The backends of one tool agree on all MCP fields; what differs is refused and named. Its only backend may replace them where replacing is allowed.',
  ),
  rule('R6', 'L', 'Backends keep the order of their registration; replacing one keeps its place.'),
  rule(
    'R7',
    'LH',
    'A batch is all or nothing and lists every problem by position; a dry run changes nothing.',
  ),
  rule('R8', 'L', 'Registering a tool again, equal in every field, changes nothing.'),
  rule('R9', 'L', 'Tags have one spelling, without repetitions, and there are at most 20 of them.'),
  rule('R10', 'L', 'Scopes, tools and batches have their limits.'),
  // Removing
  rule('R11', 'LH', 'A tool goes with its last backend, and a namespace with its last tool.'),
  rule('R12', 'LH', 'An unknown tool or backend is not_found.'),
  // Reading
  rule('R13', 'L', 'Returned values are copies.'),
  rule('R14', 'LH', 'The default backend is local, then provider, then MCP, unless a policy says otherwise.'),
  rule('R15', 'L', 'Namespaces are unique and sorted, the empty one first.'),
  rule('R16', 'LH', 'Lists and searches return summaries; schemas only on request.'),
  // Searching
  rule('R17', 'L', 'Tools are found by their names, namespaces, titles, descriptions, tags and parameters.'),
  rule('R18', 'L', 'Tools that the query names come first, in the order in which it names them.'),
  rule(
    'R19',
    'LH',
    'Score, then id, decides the order; the same query at one version, with the same vectors, has one response.',
  ),
  rule('R20', 'LH', 'A page has 1 to 100 results, a search 1 to 1,000; zero is refused over HTTP.'),
  rule('R21', 'L', 'An empty query lists by id.'),
  rule('R22', 'LH', 'Nothing found is an empty list that names the nearest namespaces, never an error.'),
  rule('R23', 'L', 'Filters apply before ranking and before every cap.'),
  rule('R24', 'LH', 'Tools that a caller may not see are not ranked, counted or named.'),
  rule('R25', 'L', 'A searcher is deterministic, regardless of the order of documents.'),
  rule('R26', 'LH', 'A searcher that fails or is late is replaced, and the response says so.'),
  rule('R27', 'L', 'Searches on a changed registry share one index, and keep the one that they began with.'),
  rule(
    'R28',
    'L',
    'The cost of a change depends only on its size, and scores equal those of a newly built index.',
  ),
  // Pages
  rule('R29', 'LH', 'A cursor is opaque, short, authenticated, and bound to its list or search.'),
  rule('R30', 'LH', 'A cursor that does not fit is invalid; one of a list that is gone is stale.'),
  rule('R31', 'L', 'Pages of one search come from one list; the last has no cursor.'),
  rule('R32', 'L', 'Equal searches of one version share a kept result.'),
  // Changes
  rule('R33', 'L', 'Each change has one version, rising by one, and its events are in order.'),
  rule(
    'R34',
    'L',
    'Listeners are called in order, after the change; one that throws does not stop the others.',
  ),
  rule('R35', 'H', 'The change feed replays whole changes, sends heartbeats, and cuts off slow readers.'),
  rule('R36', 'L', 'Readers and writers together see whole changes and lose none.'),
  // Persistence
  rule('R37', 'LH', 'Stores keep everything that they confirmed; a damaged file or a full disk is reported.'),
  rule('R38', 'LH', 'The epoch lasts as long as the store.'),
  rule('R39', 'L', 'Instances over one database follow one another.'),
  // The generic search tool
  rule(
    'R40',
    'LH',
    'The search tool falls back from the requested search to one that can answer, and says so.',
  ),
  rule('R41', 'LH', 'An unknown category is ignored and named; a known one is a hard filter.'),
  rule('R42', 'LH', "A model's max_results is brought into its range."),
  rule('R43', 'LH', 'Hot tools are set, or are the most called of a week, and change once a day at most.'),
  rule('R44', 'LH', 'A cached result equals the computed one except for cache and time.'),
  rule('R45', 'L', 'Vectors are computed once per content and model, in the background.'),
  // MCP servers
  rule('R46', 'L', 'Lists of a server are read completely, within limits.'),
  rule('R47', 'L', 'The tools of a server are one change.'),
  rule('R48', 'L', 'A failed refresh never removes tools.'),
  rule('R49', 'L', 'Servers are refreshed when they announce changes, when a list expires, and on request.'),
  rule('R50', 'L', "Names that are not of the registry's form are repaired."),
  rule('R51', 'L', "The model name has the server's prefix or namespace."),
  rule('R52', 'L', 'A tool that breaks the rules of x-mcp-header is left out.'),
  rule('R53', 'L', 'Annotations filter only when their server is trusted.'),
  rule(
    'R54',
    'L',
    'Changed descriptions are reported; changed and new ones of a pinned server are refused until approved.',
  ),
  rule('R55', 'L', 'A server that is down does not affect the others.'),
  rule('R56', 'L', 'A server over stdio has the environment that is listed, and ends with the registry.'),
  rule('R57', 'L', 'A server over HTTP is reached at its configured address only.'),
  // The MCP front door
  rule('R58', 'H', 'The list of tools is constant.'),
  rule('R60', 'H', 'search_tools gives text and structured content.'),
  rule('R61', 'H', 'call_tool validates before it calls.'),
  rule('R62', 'H', 'The right to see is checked again at the call.'),
  rule('R63', 'H', 'Results pass through unchanged.'),
  rule('R64', 'H', 'Dispatch tools are available per namespace and per effect.'),
  rule('R65', 'H', 'describe_tools returns full schemas.'),
  rule('R66', 'H', 'Calls are counted, and never logged with their content.'),
  // Model, documents, validation
  rule('R67', 'L', 'Ids and tools survive being written and read.'),
  rule('R68', 'L', 'Values are validated by interpretation, in bounded time.'),
  rule('R69', 'LH', 'Each level of detail contains the previous one, and more.'),
  rule('R70', 'LH', 'Examples are few, small, valid, and not searched.'),
  rule('R71', 'L', 'Searching is safe for any content of the registry and any query.'),
  rule('R72', 'L', 'The order of registrations does not affect search results.'),
  rule('R73', 'L', 'Hybrid and semantic searches order by meaning.'),
  rule('R74', 'L', 'An embedder that fails leaves tools findable by keywords.'),
  rule('R75', 'H', 'Start, health and statistics report the actual state.'),
  // Rights on MCP servers
  rule(
    'R76',
    'LH',
    'A registration names an MCP server only with a right on it, and only in the namespace of the server or in one that the operator shares the server with.',
  ),
  rule(
    'R77',
    'LH',
    'Only tools that a server itself lists, neither left out by its settings nor awaiting approval, are called on it.',
  ),
  rule('R78', 'LH', "Hints of a tool on a server count only from a trusted server's own list."),
  rule('R79', 'H', 'Stored secrets of a server are not used for another address.'),
  rule(
    'R80',
    'H',
    'A limited token cannot observe tools that it does not see, except that the version rises with hidden changes, that the registry is full, that a model name is taken, and word statistics in scores.',
  ),
  rule(
    'R81',
    'LH',
    'The state of a server is separate for each token or client session if its settings say so, and for each token if there are several; processes are bounded, and end when they are idle.',
  ),
  // Prompts, resources and instructions of MCP servers
  rule(
    'R82',
    'LH',
    'Prompts, resources, templates and instructions of servers are relayed under names that are unique among the visible servers, and found by search.',
  ),
  rule(
    'R83',
    'LH',
    'Only those of a visible namespace are relayed, neither left out by the settings of the server nor awaiting approval.',
  ),
  rule('R84', 'L', 'Their lists are limited, and an unreadable list does not affect tools.'),
  rule(
    'R85',
    'LH',
    'Clients that support notifications receive changes of lists and of resources that they subscribe to.',
  ),
];
