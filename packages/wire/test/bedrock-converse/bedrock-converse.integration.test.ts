// All of its cases, where the unit run tries a sample.
import './bedrock-converse.test.ts';
