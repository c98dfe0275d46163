#!/usr/bin/env node
/** Entry point of the command `stridelab`. Reports a Node that is too old for the commands. */

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `stridelab needs Node 20.19 or newer, but this is ${process.version}: install Node 24 from https://nodejs.org.\n`
  );
  process.exitCode = 1;
} else {
  const { runCommand } = await import('./program.ts');
  process.exitCode = await runCommand(process.argv.slice(2));
}
