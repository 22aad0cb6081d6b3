import { z } from 'zod';
import { readText } from './compose-file.ts';

/** One instruction, its continued lines joined. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** One stage of the Dockerfile, from its FROM to the next. */
export interface Stage {
  readonly name: string;
  /** An image, or the name of an earlier stage. */
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of the Dockerfile, in order. */
export function readStages(): readonly Stage[] {
  const text = readText('Dockerfile').replace(/^#.*\n/gm, '');
  const lines = text
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? fail(line);
    const from = name === 'FROM' ? (/^(\S+) AS (\S+)$/.exec(rest!) ?? fail(line)) : undefined;
    if (from) stages.push({ base: from[1]!, name: from[2]!, instructions: [] });
    else (stages.at(-1) ?? fail(line)).instructions.push({ name: name!, rest: rest! });
  }
  return stages;
}

/** A command in the form of a JSON array, as CMD and HEALTHCHECK should be: a shell would swallow signals. */
export function commandOf(stage: Stage, name: 'CMD' | 'HEALTHCHECK'): readonly string[] {
  const { rest } = stage.instructions.find((one) => one.name === name) ?? fail(name);
  return z.array(z.string()).parse(JSON.parse(rest.slice(rest.indexOf('['))));
}

/**
 * The variables that a stage sets when built with these arguments. The only supported substitution is
 * `${ARGUMENT:+word}`: https://docs.docker.com/reference/dockerfile/#environment-replacement
 */
export function environmentOf(
  stage: Stage,
  builtWith: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const pairs = stage.instructions
    .filter(({ name }) => name === 'ENV')
    .flatMap(({ rest }) => rest.split(' '));
  const replaced = (text: string) =>
    text.replace(/\$\{(\w+):\+([^}]*)\}/g, (_, argument: string, word: string) =>
      builtWith[argument] ? word : '',
    );
  return Object.fromEntries(
    pairs.map((pair) => pair.split('=', 2)).map(([name, value]) => [name!, replaced(value!)]),
  );
}

function fail(what: string): never {
  throw new Error(`Not understood in the Dockerfile: ${what}`);
}
