export { matchScore, WHOLE_SCORE } from './catalogue/tool-catalogue.ts';
export { DECLARATION, DEFAULT_SETTINGS, readSettings, type Settings } from './config.ts';
export { startAttach } from './server.ts';
