// All of its cases, where the unit run tries a sample.
import './join-responses.test.ts';
