import { type CallOptions, type CallResult, type McpServers, NO_SERVERS } from '@winnow/mcp';

/** One call that a server has got. */
export interface ReceivedCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: CallOptions;
}

/** MCP servers that answer as a test says, and remember what they were asked. */
export class FakeServers implements McpServers {
  readonly received: ReceivedCall[] = [];
  readonly trusted = new Set<string>();
  answer: (call: ReceivedCall) => CallResult | Promise<CallResult> = ({ tool }) => ({
    content: [{ type: 'text', text: `${tool} is done` }],
  });

  states = () => [];
  state = () => undefined;
  admit: McpServers['admit'] = async (_, { name }) => name;
  refusalOf = () => undefined;
  hintsOf: McpServers['hintsOf'] = (server, { annotations }) => (this.trusted.has(server) ? annotations : {});
  close = async () => {};
  offersVersion = 0;
  offersOf = NO_SERVERS.offersOf;
  onOffersChanged = NO_SERVERS.onOffersChanged;
  relay = NO_SERVERS.relay;
  subscribe = NO_SERVERS.subscribe;

  async call(server: string, tool: string, args: ReceivedCall['args'], options: CallOptions = {}) {
    const call = { server, tool, args, options };
    this.received.push(call);
    return this.answer(call);
  }
}
