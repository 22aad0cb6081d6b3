import { expect, test } from 'vitest';
import { serverOf } from '../../src/text/server-of.ts';

test.each([
  ['mcp__github__create_issue', 'github'],
  ['mcp__my_server__a__b', 'my_server'],
  ['mcp_github_create_issue', 'github'],
  ['github__create_issue', 'github'],
  ['functions.exec_command', 'functions'],
  ['files:read', 'files'],
  ['files/read', 'files'],
  ['create_issue', ''],
  ['mcp__', ''],
  ['__init', ''],
  ['', ''],
])('the server of %s is "%s"', (name, server) => {
  expect(serverOf(name)).toBe(server);
});
