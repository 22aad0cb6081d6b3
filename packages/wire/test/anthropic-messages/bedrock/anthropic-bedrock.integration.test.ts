// All of its cases, where the unit run tries a sample.
import './anthropic-bedrock.test.ts';
