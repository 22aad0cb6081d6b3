// All of its cases, where the unit run tries a sample.
import './gemini-interactions.test.ts';
