/**
 * Runs before the tests of every worker: takes away what a developer's shell or a CI may say to our programs, to the client libraries and about colours,
 * so that the tests find the same everywhere. Programs that tests start inherit it.
 */
const SAID_TO_OTHERS =
  /^(SELECTOR_|PROXY_|TLS_|OTEL_|OPENAI_|AWS_|AZURE_OPENAI_|ANTHROPIC_|(HTTPS?|ALL|NO)_PROXY$|FORCE_COLOR$|NO_COLOR$|NODE_DISABLE_COLORS$|PORT$|HOST$|LOG_LEVEL$|RANKER$)/i;

for (const name of Object.keys(process.env)) {
  if (SAID_TO_OTHERS.test(name)) delete process.env[name];
}
