import { startServices } from './start-services.ts';

startServices(process.argv.slice(2));
