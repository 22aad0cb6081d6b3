// All of its cases, where the unit run tries a sample.
import './known-sections.test.ts';
