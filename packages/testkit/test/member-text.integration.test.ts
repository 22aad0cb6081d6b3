// All of its cases, where the unit run tries a sample.
import './member-text.test.ts';
