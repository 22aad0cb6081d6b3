export { CASES } from './cases/cases.ts';
export { type ConformanceCase, groupOf } from './conformance-case.ts';
export type { FormatName } from './formats/client-format.ts';
export { CLIENT_FORMATS } from './formats/formats.ts';
export { decodeStream } from './judge/decode-stream.ts';
export { type Gateway, judgeCase, type Verdict } from './run.ts';
export { EXIT, runConformance, type Terminal } from './run-conformance.ts';
export { startWireProvider, type WireProvider } from './wire/wire-provider.ts';
