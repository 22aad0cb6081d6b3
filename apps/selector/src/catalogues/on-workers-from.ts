/**
 * Bodies from this size on are parsed and indexed on a worker thread.
 *
 * Below it that is done on the main thread: 128 KiB are some 200 tools with their schemas and take about 10 ms, in the range of what a round trip to a
 * worker costs on a busy machine.
 */
export const ON_WORKERS_FROM_BYTES = 128 * 1024;
