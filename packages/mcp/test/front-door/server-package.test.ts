import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SERVER_PACKAGE } from '../../src/front-door/protocol/create-protocol-server.ts';

test("the line that installs the vendor's package names the version that is tried here", () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  const version = manifest.dependencies['@modelcontextprotocol/server'];
  expect(SERVER_PACKAGE).toBe(`@modelcontextprotocol/server@${version}`);
});
