export { matchScore, SCORE_EXPONENT, WHOLE_SCORE } from './plan/match-score.ts';
