/**
 * What the services need of `node:http`. An `import` of it makes everything that it exports, a WebSocket with a library of its own among
 * it, which is a tenth of the time that a service takes to start.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
