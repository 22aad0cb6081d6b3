/**
 * Runs before the tests of every worker: removes the settings of a developer's shell or CI for Winnow's
 * programs, for the client libraries and for colours, so that the tests run under the same conditions
 * everywhere. Programs that tests start inherit it.
 */
const SAID_TO_OTHERS =
  /^(SELECTOR_|PROXY_|TLS_|OTEL_|OPENAI_|AWS_|AZURE_OPENAI_|ANTHROPIC_|(HTTPS?|ALL|NO)_PROXY$|FORCE_COLOR$|NO_COLOR$|NODE_DISABLE_COLORS$|PORT$|HOST$|LOG_LEVEL$|RANKER$)/i;

for (const name of Object.keys(process.env)) {
  if (SAID_TO_OTHERS.test(name)) delete process.env[name];
}
