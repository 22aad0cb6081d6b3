import type { JSONRPCRequest, Result, Server, ServerContext } from '@modelcontextprotocol/server';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;
type ServerClass = new (...args: ConstructorParameters<typeof Server>) => Server;

/**
 * The vendor's server, with results of calls that leave as they come. By itself it refuses results with content that it does not know, which
 * is for the client to judge: it would have had them without us. Results that ask for input are still checked against what the client can do.
 *
 * `_wrapHandler` is where the package checks results; it is protected, and a test holds every update of the package to what is done here.
 */
export function withUntouchedResults(Base: ServerClass): ServerClass {
  return class extends Base {
    protected override _wrapHandler(method: string, handler: Handler): Handler {
      if (method !== 'tools/call') return super._wrapHandler(method, handler);
      return async (request, context) => {
        let result: Result | undefined;
        const checked = super._wrapHandler(method, async (...call) => {
          const given = await handler(...call);
          if (given.resultType === 'input_required') return given;
          result = given;
          return { content: [] };
        });
        const seen = await checked(request, context);
        return result ?? seen;
      };
    }
  };
}
