// All of its rounds, where the unit run tries a sample.
import './read-tool-from-bytes.test.ts';
