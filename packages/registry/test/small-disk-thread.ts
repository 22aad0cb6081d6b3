import { DatabaseSync } from 'node:sqlite';

/** The thread of a database whose disk has room for 500 KiB or so. */
const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function (this: DatabaseSync, text: string) {
  exec.call(this, text);
  if (text.includes('journal_mode')) exec.call(this, 'PRAGMA max_page_count = 128');
};

await import('../src/stores/sqlite/database-thread.ts');
