// All of its cases, where the unit run tries a sample.
import './server-list.test.ts';
