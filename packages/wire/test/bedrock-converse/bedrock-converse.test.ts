import { testFormatContract } from '../format-contract.ts';
import { converseFixtures } from './converse-fixtures.ts';

testFormatContract(converseFixtures);
