import { fileURLToPath } from 'node:url';
import { DISPATCH_MODES, type DispatchMode } from '@winnow/mcp';
import { EXIT, readCommandLine, refuseToStart } from '@winnow/service';
import { defaultConfigFile, readDoorSettings } from '../config.ts';
import { VERSION } from '../version.ts';
import { AGENT_IDS, importAgentSettings } from './import-command.ts';
import { serveStdio } from './serve-stdio.ts';

const COMMAND = {
  name: 'winnow mcp',
  version: VERSION,
  start: 'npm run mcp --',
  summary:
    'One MCP server in front of many, over stdin and stdout: its client sees search_tools, call_tool and describe_tools.',
  options: {
    config: { type: 'string', value: 'FILE', help: 'the MCP servers, as agents write them (mcpServers)' },
    dispatch: { type: 'string', value: 'MODE', help: `how tools are called: ${DISPATCH_MODES.join(', ')}` },
    embedder: {
      type: 'string',
      value: 'ADDRESS',
      help: 'searches by meaning, too: onnx:FOLDER with a model, or URL#MODEL',
    },
    import: {
      type: 'string',
      value: 'FILE',
      help: "reads an agent's settings, and prints the one entry for it",
    },
    agent: {
      type: 'string',
      value: 'ID',
      help: `the agent whose settings they are: ${AGENT_IDS.join(', ')}`,
    },
    to: { type: 'string', value: 'FILE', help: 'the file to which an import copies the servers' },
    write: { type: 'boolean', help: 'makes the import write that file; without it, nothing is changed' },
  },
  settings: 'docs/clients/mcp.md says more.',
} as const;

const NO_CONFIG =
  '--config must name a file with MCP servers; --import FILE makes one from the settings of an agent.';

/** The front door over stdio, and the command that imports an agent's servers. */
export async function runMcp(words: readonly string[]): Promise<void> {
  const options = readCommandLine(COMMAND, words);
  if (options === undefined) return;
  const refuse = (...problems: string[]) => refuseToStart(COMMAND.name, problems, EXIT.badSettings);
  if (options.import !== undefined) {
    const result = importAgentSettings({
      file: options.import,
      agent: options.agent,
      to: options.to ?? defaultConfigFile(),
      isWritten: options.write ?? false,
      door: doorCommand(),
      start: COMMAND.start,
    });
    if (result.ok) process.stdout.write(result.text);
    else refuse(result.problem);
    return;
  }
  for (const name of ['agent', 'to', 'write'] as const) {
    if (options[name] !== undefined) return refuse(`--${name} goes with --import.`);
  }
  const { dispatch } = options;
  if (dispatch !== undefined && !isDispatch(dispatch)) {
    return refuse(`--dispatch takes ${DISPATCH_MODES.join(', ')}, not "${dispatch}".`);
  }
  if (options.config === undefined) return refuse(NO_CONFIG);
  const outcome = readDoorSettings(options.config);
  if (!outcome.ok) return refuse(...outcome.problems);
  for (const notice of outcome.settings.notices) console.error(`${COMMAND.name}: ${notice}`);
  const { embedder } = options;
  await serveStdio({
    ...outcome.settings,
    ...(dispatch && { mcpDispatch: dispatch }),
    ...(embedder !== undefined && { embedder }),
  });
}

function isDispatch(text: string): text is DispatchMode {
  return DISPATCH_MODES.some((mode) => mode === text);
}

/** Returns the command with which an agent starts this program: the path of the sources, or the npm package with its optional packages. */
function doorCommand(): { readonly command: string; readonly args: readonly string[] } {
  if (COMMAND.start.startsWith('npm ')) {
    return { command: process.execPath, args: [fileURLToPath(new URL('../mcp-main.ts', import.meta.url))] };
  }
  const [name = '', ...words] = COMMAND.start.split(' ');
  const packages = [`${name}@${VERSION}`, ...VENDOR_PACKAGES].flatMap((one) => ['-p', one]);
  return { command: 'npx', args: ['-y', ...packages, name, ...words] };
}

/** Optional dependencies of the npm package. */
const VENDOR_PACKAGES = ['@modelcontextprotocol/server@2.4.0', '@modelcontextprotocol/client@2.4.0'];
