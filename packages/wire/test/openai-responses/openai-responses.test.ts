import { testFormatContract } from '../format-contract.ts';
import { responsesFixtures } from './responses-fixtures.ts';

testFormatContract(responsesFixtures);
