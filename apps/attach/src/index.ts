export { DECLARATION, DEFAULT_SETTINGS, readSettings, type Settings } from './config.ts';
export { matchScore, WHOLE_SCORE } from './plan/match-score.ts';
export { startAttach } from './server.ts';
