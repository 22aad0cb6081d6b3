// All of its cases, where the unit run tries a sample.
import './broken-responses.test.ts';
