import { testFormatContract } from '../format-contract.ts';
import { chatFixtures } from './chat-fixtures.ts';

testFormatContract(chatFixtures);
