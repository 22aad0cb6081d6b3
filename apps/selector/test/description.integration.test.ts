import { ERRORS } from '@winnow/core';
import { describe, expect, it } from 'vitest';
import { post, start } from './start.ts';

type Json = Record<string, unknown>;

/** The description as the service gives it. */
async function describeService() {
  const { url, searchUrl } = await start();
  const api = (await (await fetch(`${url}/openapi.json`)).json()) as Json;
  return { api, url, searchUrl };
}

/** The value at a JSON pointer. */
function at(document: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce(
    (value, key) => (value as Json)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
}

/** Every object in a JSON value. */
function* objectsIn(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

const SEARCH = '/paths/~1v1~1tool-discovery~1search/post';

describe('GET /openapi.json', () => {
  it('has the parts that OpenAPI 3.1 asks for', async () => {
    const { api } = await describeService();
    expect(api.openapi).toBe('3.1.0');
    expect(at(api, '/info/title')).toEqual(expect.any(String));
    expect(at(api, '/info/version')).toEqual(expect.any(String));
    const operations = Object.values(api.paths as Json).flatMap((methods) =>
      Object.values(methods as Json),
    ) as Json[];
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(operations.length);
    for (const operation of operations) {
      for (const [status, response] of Object.entries(operation.responses as Json)) {
        expect(status).toMatch(/^[2-5]\d\d$/);
        expect((response as Json).description).toEqual(expect.any(String));
      }
    }
  });

  it('contains all targets of its references', async () => {
    const { api } = await describeService();
    const references = [...objectsIn(api)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) expect(at(api, reference.slice(1)), reference).toBeDefined();
  });

  it('describes exactly the existing routes', async () => {
    const { api, url } = await describeService();
    for (const [path, methods] of Object.entries(api.paths as Json)) {
      for (const method of Object.keys(methods as Json)) {
        const { status } = await fetch(url + path, { method: method.toUpperCase() });
        expect([404, 405], `${method} ${path}`).not.toContain(status);
      }
    }
    expect(Object.keys(api.paths as Json).sort()).toEqual([
      '/docs',
      '/healthz',
      '/metrics',
      '/openapi.json',
      '/readyz',
      '/v1/tool-discovery/search',
    ]);
  });

  it('describes the request by the schema that validates', async () => {
    const { api } = await describeService();
    const request = at(api, '/components/schemas/SearchRequest') as Json;
    expect(request.required).toBeUndefined();
    expect(at(request, '/properties/patterns')).toMatchObject({ type: 'array', minItems: 1, maxItems: 16 });
    expect(at(request, '/properties/top_k')).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 5,
    });
    expect(at(request, '/properties/search_type/enum')).toEqual([
      'auto',
      'keyword',
      'regex',
      'hybrid',
      'semantic',
    ]);
    expect(at(request, '/properties/tools/items/type')).toBe('object');
    expect(at(request, '/properties/tools/items/properties/name/type')).toBe('string');
    expect(at(request, '/properties/tools/items/properties/definition/type')).toEqual(['object', 'null']);
  });

  it('describes every error but the one of routes that are not there', async () => {
    const { api } = await describeService();
    const responses = at(api, `${SEARCH}/responses`) as Json;
    const described = Object.entries(responses).flatMap(([status, response]) => {
      if (status === '200') return [];
      return Object.keys(at(response, '/content/application~1json/examples') as Json).map((code) => [
        code,
        Number(status),
      ]);
    });
    const { not_found, ...expected } = ERRORS;
    expect(not_found).toBe(404);
    expect(Object.fromEntries(described)).toEqual(expected);
  });

  it('has an example that works unchanged', async () => {
    const { api, searchUrl } = await describeService();
    const example = at(api, `${SEARCH}/requestBody/content/application~1json/examples/withTools/value`);
    const { status, body } = await post(searchUrl, example);
    expect(status).toBe(200);
    expect((body.selected_names as string[])[0]).toBe('create_pull_request');
  });
});

describe('GET /docs', () => {
  it('is one page that needs no other host', async () => {
    const { url } = await start();
    const response = await fetch(`${url}/docs`);
    const page = await response.text();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page).toContain('openapi.json');
    expect(page).not.toMatch(/(src|href)=["']?(https?:)?\/\//);
    expect(page).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
  });

  it('may call only its own service', async () => {
    const { url } = await start();
    const policy = (await fetch(`${url}/docs`)).headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
  });
});
