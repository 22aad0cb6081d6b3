export { discardRest } from './discard-rest.ts';
export { Drain } from './drain.ts';
export { type DrainOptions, drainRequests } from './drain-requests.ts';
export { LineOutput } from './line-output.ts';
export { nearestName } from './nearest-name.ts';
export { OpenAnswers } from './open-answers.ts';
export { OpenConnections } from './open-connections.ts';
export { readAway } from './read-away.ts';
export { stackFrames } from './stack-frames.ts';
