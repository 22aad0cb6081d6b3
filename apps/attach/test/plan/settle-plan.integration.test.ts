// All random plans of the unit test.
import './settle-plan.test.ts';
