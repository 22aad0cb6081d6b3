import { testFormatContract } from '../format-contract.ts';
import { interactionsFixtures } from './interactions-fixtures.ts';

testFormatContract(interactionsFixtures);
