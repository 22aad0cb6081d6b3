import { runRegister } from './register/run-register.ts';

process.exitCode = await runRegister(process.argv.slice(2), {
  print: (line) => console.log(line),
  printError: (line) => console.error(line),
});
