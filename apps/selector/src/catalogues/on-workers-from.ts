/**
 * Size from which bodies are parsed and indexed on a worker thread.
 *
 * Smaller ones stay on the main thread: 128 KiB hold some 200 tools with their schemas and take about 10 ms,
 * as much as a round trip to a worker on a busy machine.
 */
export const ON_WORKERS_FROM_BYTES = 128 * 1024;
