import { testFormatContract } from '../format-contract.ts';
import { ollamaFixtures } from './ollama-fixtures.ts';

testFormatContract(ollamaFixtures);
