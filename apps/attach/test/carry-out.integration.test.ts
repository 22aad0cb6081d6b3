// All random worlds of the unit test, with every call failing in every way.
import './carry-out.test.ts';
