import { DatabaseSync } from 'node:sqlite';

/** Time that a durable disk takes in addition to this one, in milliseconds. */
const ADDED_MS = 5;

/**
 * A module loaded before the service's own code, and so into its threads as well: every commit takes longer.
 */
const exec = DatabaseSync.prototype.exec;
const nothing = new Int32Array(new SharedArrayBuffer(4));
DatabaseSync.prototype.exec = function (this: DatabaseSync, text: string) {
  exec.call(this, text);
  if (text === 'COMMIT') Atomics.wait(nothing, 0, 0, ADDED_MS);
};
