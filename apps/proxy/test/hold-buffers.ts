import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';

/** Loaded ahead of a program: holds 48 MiB, one after the other, and writes down which options of V8 are changed. */
const { setFlagsFromString } = v8;
v8.setFlagsFromString = (option) => {
  console.error(`V8 gets ${option}`);
  setFlagsFromString(option);
};
syncBuiltinESMExports();

const held: Buffer[] = [];
const timer = setInterval(() => {
  if (held.length < 48) held.push(Buffer.alloc(2 ** 20, 1));
  else clearInterval(timer);
}, 30).unref();
