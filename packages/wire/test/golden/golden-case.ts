import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FORMATS } from '../../src/formats.ts';
import type {
  Format,
  LoadMode,
  Plan,
  PreloadForm,
  RequestView,
  Round,
  SearchCall,
  SearchResult,
} from '../../src/index.ts';
import { decodeAll, encodeAll } from '../frames.ts';
import { planOf, viewOf } from '../run-exchange.ts';
import { bodyOf, fileOf, framingOf } from './notation.ts';

/** The settings of a case, in its `case.json`. */
interface CaseSettings {
  readonly path: string;
  readonly query?: string;
  readonly loadMode: LoadMode;
  /** The form in which the first message brings the tool for mails; absent when none is preloaded. */
  readonly preload?: PreloadForm;
}

/** One exchange of a case. */
interface GoldenExchange {
  readonly folder: string;
  readonly format: Format;
  readonly settings: CaseSettings;
  readonly view: RequestView;
}

/** Returns the names of all cases, as `FORMAT/CASE`. */
export const GOLDEN_CASES = globSync('*/*/case.json', { cwd: import.meta.dirname })
  .map(dirname)
  .sort();

/** The folder of a case. */
export function folderOf(name: string): string {
  return join(import.meta.dirname, name);
}

/** The texts that Winnow writes in a case, by the names of their files: requests to the provider, and the response to the client. */
export function runGoldenCase(name: string): ReadonlyMap<string, string> {
  const folder = folderOf(name);
  const format = FORMATS.find((one) => one.name === dirname(name))!;
  const settings: CaseSettings = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8'));
  const readView = (file: string) =>
    viewOf(format, readFileSync(join(folder, file), 'utf8'), settings.path, settings.query);
  const view = readView('request-in.json');
  const { files, rounds } = runExchange({ folder, format, settings, view });
  if (!existsSync(join(folder, 'next-request-in.json'))) return files;
  const next = readView('next-request-in.json');
  const hiddenTurns = [JSON.parse(JSON.stringify(format.remembering.hideTurn(view, rounds)))];
  const edited = format.editing.editRequest(next, planFor(settings, rounds), { hiddenTurns, rounds: [] });
  return new Map([...files, ['next-request-out.json', textOf(edited)]]);
}

/** Sends a request for each response of the folder, and joins the responses. */
function runExchange({ folder, format, settings, view }: GoldenExchange) {
  const [first, ...others] = globSync('response-in*', { cwd: folder }).sort(byRound);
  const joiner = format.joining.joinResponses(view, planFor(settings, []));
  const files = new Map<string, string>();
  const rounds: Round[] = [];
  const shown = [first!, ...others].flatMap((file, index) => {
    const request = format.editing.editRequest(view, planFor(settings, rounds), { hiddenTurns: [], rounds });
    files.set(index === 0 ? 'request-out.json' : `request-out-${index + 1}.json`, textOf(request));
    const body = bodyOf(file, readFileSync(join(folder, file), 'utf8'));
    const events = decodeAll(framingOf(file), [body]).flatMap((event) => joiner.feed(event));
    const end = joiner.endRound();
    if (end.kind === 'failed') throw new Error(`${file}: ${end.reason}`);
    const results = end.turn.searches.map((search) => foundFor(search, view));
    rounds.push({ turn: end.turn, results });
    if (end.kind === 'searching') joiner.takeResults(results);
    return events;
  });
  const joined = encodeAll(framingOf(first!), [...shown, ...joiner.finish()]);
  files.set(first!.replace('response-in', 'response-out'), fileOf(first!, joined));
  return { files, rounds };
}

/** The plan of every case: `file_read` is kept, and what searches have found is loaded where loaded tools are declared. */
function planFor({ loadMode, preload: form }: CaseSettings, rounds: readonly Round[]): Plan {
  const found = rounds.flatMap(({ results }) =>
    results.flatMap(({ tools }) => tools.map(({ name }) => name)),
  );
  const plan = planOf(['weather_get', 'mail_send'], loadMode === 'swap' ? found : [], loadMode);
  return form === undefined || plan.loadMode === 'swap'
    ? plan
    : { ...plan, preload: { names: ['mail_send'], form } };
}

/** The result of every search: the tool for the weather. */
function foundFor({ id }: SearchCall, { tools }: RequestView): SearchResult {
  const { description } = tools.find(({ name }) => name === 'weather_get')!;
  return { callId: id, kind: 'found', tools: [{ name: 'weather_get', description }] };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

/** `response-in` comes in front of `response-in-2`. */
function byRound(one: string, other: string): number {
  return one.split('.')[0]!.length - other.split('.')[0]!.length;
}
