import { bm25 } from '../src/rankers/bm25.ts';
import { proveRankerContract } from './ranker-contract.ts';

proveRankerContract(bm25);
