// All of its cases, where the unit run tries a sample.
import './read-servers.test.ts';
