import { wink } from '../src/rankers/wink.ts';
import { proveRankerContract } from './ranker-contract.ts';

proveRankerContract(wink);
