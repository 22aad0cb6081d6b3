// All of its cases, where the unit run tries a sample.
import './plan-attachment.test.ts';
