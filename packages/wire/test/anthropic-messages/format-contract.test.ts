import { testFormatContract } from '../format-contract.ts';
import { messagesFixtures } from './messages-fixtures.ts';

testFormatContract(messagesFixtures);
