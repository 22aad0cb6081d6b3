import type { JSONRPCRequest, Result, Server, ServerContext } from '@modelcontextprotocol/server';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;
type ServerClass = new (...args: ConstructorParameters<typeof Server>) => Server;

/**
 * The vendor's server, changed to pass results of servers through unchanged. By itself, it refuses results with
 * unknown content, but that is for the client to judge, which would have got them without us. Results that ask
 * for input are still checked against the client's capabilities.
 *
 * `_wrapHandler` is where the package checks results; it is protected, so a test checks this for every update
 * of the package.
 */
export function withUntouchedResults(Base: ServerClass): ServerClass {
  return class extends Base {
    protected override _wrapHandler(method: string, handler: Handler): Handler {
      const standIn = STAND_INS[method];
      if (standIn === undefined) return super._wrapHandler(method, handler);
      return async (request, context) => {
        let result: Result | undefined;
        const checked = super._wrapHandler(method, async (...call) => {
          const given = await handler(...call);
          if (given.resultType === 'input_required') return given;
          result = given;
          return standIn;
        });
        const seen = await checked(request, context);
        // What the package adds for its revision is added all the same, such as how long a result may be kept.
        return result === undefined ? seen : { ...seen, ...emptied(standIn), ...result };
      };
    }
  };
}

/** Valid results, by method. */
const STAND_INS: Readonly<Record<string, Result>> = {
  'tools/call': { content: [] },
  'prompts/get': { messages: [] },
  'resources/read': { contents: [] },
  'completion/complete': { completion: { values: [] } },
};

/** The members of a stand-in are none of the result. */
function emptied(standIn: Result): Result {
  return Object.fromEntries(Object.keys(standIn).map((key) => [key, undefined]));
}
