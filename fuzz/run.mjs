/**
 * `npm run fuzz [TARGET...] [-- --seconds N --seed N]`: runs each target in this folder for N seconds (60), in a separate process.
 * A target receives --seconds and --seed, derives its inputs from the seed, and exits with a status other than 0 at the first
 * finding. Its output, and the command that repeats it, are stored in build/fuzz. The status is 1 if anything was found.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));
const findings = fileURLToPath(new URL('../build/fuzz/', import.meta.url));
const self = basename(fileURLToPath(import.meta.url));
/** A target that does not exit this long after its time is a finding too. */
const GRACE_MS = 60_000;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } }
});
const known = readdirSync(here)
  .filter(name => name.endsWith('.mjs') && name !== self)
  .map(name => basename(name, '.mjs'));
const unknown = positionals.filter(name => !known.includes(name));
if (unknown.length > 0)
  throw new Error(`unknown target ${unknown.join(', ')}: expected one of ${known.join(', ')}`);

let found = 0;
for (const target of positionals.length > 0 ? positionals : known) {
  const seed = values.seed ?? String(Date.now() % 2 ** 31);
  const args = [join(here, `${target}.mjs`), '--seconds', values.seconds, '--seed', seed];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: Number(values.seconds) * 1000 + GRACE_MS,
    maxBuffer: 2 ** 26
  });
  if (status === 0) {
    console.log(`${target}: ${stdout.trim()}`);
    continue;
  }
  found += 1;
  mkdirSync(findings, { recursive: true });
  const file = join(findings, `${target}-${seed}.txt`);
  const again = `node fuzz/${target}.mjs --seconds ${values.seconds} --seed ${seed}`;
  writeFileSync(file, `${again}\nended with ${signal ?? `status ${status}`}\n\n${stderr}\n${stdout}\n`);
  console.error(
    `${target}: ${signal ?? `status ${status}`}, stored in ${file}\n${stderr.trim().slice(-2000)}`
  );
}
process.exitCode = found === 0 ? 0 : 1;
