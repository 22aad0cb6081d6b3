/**
 * The parts of `node:http` that the services need. An `import` would load all of its exports, including a
 * WebSocket library, which takes a tenth of a service's start.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
