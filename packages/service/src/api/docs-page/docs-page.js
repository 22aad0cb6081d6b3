/** @typedef {{ readonly [name: string]: Schema }} Schemas */
/**
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {readonly unknown[]} [enum]
 * @property {unknown} [const]
 * @property {readonly Schema[]} [anyOf]
 * @property {string} [type]
 * @property {Schema} [items]
 * @property {Schemas} [properties]
 * @property {readonly string[]} [required]
 * @property {string} [description]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [maxLength]
 * @property {unknown} [default]
 */
/**
 * @typedef {object} Operation
 * @property {string} summary
 * @property {{ readonly [status: string]: { readonly description: string } }} responses
 * @property {{ content: { 'application/json': { examples: Record<string, { value: unknown }> } } }} [requestBody]
 */
/**
 * @typedef {object} Api
 * @property {{ title: string, description: string }} info
 * @property {{ readonly [path: string]: { readonly [method: string]: Operation } }} paths
 * @property {{ schemas: Schemas }} components
 */

/**
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
function byId(id, kind) {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${id}.`);
}

/**
 * Makes an element; children are elements or texts, and texts are never read as HTML.
 *
 * @param {keyof HTMLElementTagNameMap} tag
 * @param {{ readonly className?: string, readonly open?: boolean }} properties
 * @param {...(Node | string)} children
 */
function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** @type {(schema: Schema) => string} */
function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').pop() ?? '';
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`;
  return schema.type ?? 'anything';
}

/** @type {(schema: Schema) => string} */
function limitsOf({ minimum, maximum, maxLength, default: usual }) {
  const limits = [];
  if (minimum !== undefined) limits.push(`from ${minimum}`);
  // The bounds of a JSON number that is an integer go without saying.
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) limits.push(`to ${maximum}`);
  if (maxLength !== undefined) limits.push(`at most ${maxLength} characters`);
  if (usual !== undefined) limits.push(`default ${JSON.stringify(usual)}`);
  return limits.join(', ');
}

/**
 * Makes one row for each property; those of objects inside follow, with their path.
 *
 * @type {(schema: Schema, prefix?: string) => HTMLElement[]}
 */
function rowsOf(schema, prefix = '') {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = prefix + name;
    const text = [property.description, limitsOf(property)].filter(Boolean).join(' · ');
    const row = element(
      'tr',
      {},
      element('th', {}, element('code', {}, path), required.has(name) ? ' *' : ''),
      element('td', { className: 'soft' }, typeOf(property)),
      element('td', {}, text),
    );
    const isList = property.type === 'array';
    const inner = isList ? property.items : property;
    return [row, ...rowsOf(inner ?? {}, isList ? `${path}[].` : `${path}.`)];
  });
}

/** @type {(name: string, schema: Schema) => HTMLElement} */
function shape(name, schema) {
  const table = element('table', {}, element('tbody', {}, ...rowsOf(schema)));
  return element(
    'details',
    { className: 'card', open: name === 'SearchRequest' },
    element('summary', {}, element('code', {}, name)),
    element('div', { className: 'scroll' }, table),
  );
}

/** @type {(path: string, method: string, operation: Operation) => HTMLElement} */
function route(path, method, { summary, responses }) {
  const rows = Object.entries(responses).map(([status, { description }]) =>
    element('tr', {}, element('th', {}, status), element('td', {}, description)),
  );
  const title = [
    element('span', { className: 'method' }, method.toUpperCase()),
    ' ',
    element('code', {}, path),
    element('span', { className: 'soft' }, ` — ${summary}`),
  ];
  return element(
    'details',
    { className: 'card' },
    element('summary', {}, ...title),
    element('h3', {}, 'Answers'),
    element('table', {}, element('tbody', {}, ...rows)),
  );
}

/** @type {(api: Api) => void} */
function show(api) {
  byId('title', HTMLElement).textContent = api.info.title;
  byId('description', HTMLElement).textContent = api.info.description;
  const routes = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => route(path, method, operation)),
  );
  byId('routes', HTMLElement).append(...routes);
  const shapes = Object.entries(api.components.schemas).map(([name, schema]) => shape(name, schema));
  byId('shapes', HTMLElement).append(...shapes);
  const [path, methods] = Object.entries(api.paths).find(([, { post }]) => post) ?? [];
  const [example] = Object.values(methods?.post?.requestBody?.content['application/json'].examples ?? {});
  byId('request', HTMLTextAreaElement).value = JSON.stringify(example?.value, null, 2);
  byId('try', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    if (path !== undefined) void search(path.slice(1));
  });
}

/** @type {(path: string) => Promise<void>} */
async function search(path) {
  const token = byId('token', HTMLInputElement).value;
  const status = byId('status', HTMLElement);
  const answer = byId('answer', HTMLElement);
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: byId('request', HTMLTextAreaElement).value,
  });
  status.textContent = `${response.status} · ${response.headers.get('server-timing') ?? ''}`;
  status.className = response.ok ? 'soft' : 'bad';
  answer.textContent = JSON.stringify(await response.json(), null, 2);
  answer.hidden = false;
}

fetch('openapi.json')
  .then((response) => response.json())
  .then(show);
