/**
 * Interrupts loops over native calls: `node bench/kernel-interrupts.mjs [--rounds 100] [--load 0] [--only NAME] [--exact] [--seed N]`. Each round
 * runs one loop in one kind of code, interrupts it at a random time, and checks the reply, the variables, and that timers, immediates and
 * files still call back. `--only` selects loops whose name contains NAME, or with `--exact` is NAME. `--load N` runs N busy processes at
 * the same time. The status is 1 if a round failed.
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { BenchClient, NoAnswer, textOf } from './kernel/client.mjs';
import {
  loops,
  places,
  pythonPlaces,
  setUp,
  setUpCuda,
  setUpPython,
  synchronousPlaces
} from './kernel/native-loops.mjs';
import { stridelab } from './kernel/peers.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    load: { type: 'string', default: '0' },
    only: { type: 'string' },
    exact: { type: 'boolean', default: false },
    place: { type: 'string' },
    longest: { type: 'string', default: '120' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    log: { type: 'string' },
    env: { type: 'string', multiple: true, default: [] }
  }
});
const rounds = Number(values.rounds);
const longest = Number(values.longest);
const BEGIN_MS = 20_000;
const STOP_MS = 20_000;

const busy = Array.from({ length: Number(values.load) }, () => spawn(process.execPath, ['-e', 'for (;;);']));
process.on('exit', () => busy.forEach(child => child.kill('SIGKILL')));

/** xorshift, so that the random choices of a run can be repeated. */
let state = Number(values.seed) * 2654435761 + 1;
const random = () => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
};

/** @type {{ kernel: BenchClient, has: Set<string> } | undefined} */
let current;
let problems = 0;
let total = 0;
console.log(`seed ${values.seed}`);
for (const loop of loops) {
  const { only, exact } = values;
  if (only !== undefined && !(exact ? loop.name === only : loop.name.includes(only))) continue;
  current ??= await fresh();
  if (!current.has.has(loop.needs)) {
    console.log(`${loop.name.padEnd(34)} skipped: needs ${loop.needs}`);
    continue;
  }
  const where = Object.entries({
    ...places,
    ...(loop.awaits ? {} : synchronousPlaces),
    ...(loop.awaits || !current.has.has('python') ? {} : pythonPlaces)
  }).filter(([name]) => values.place === undefined || name === values.place);
  /** @type {Map<string, number>} */
  const outcomes = new Map();
  const begun = performance.now();
  /** @type {number[]} */
  const times = [];
  for (let round = 0; round < rounds && where.length > 0; round += 1) {
    const [place, cell] = /** @type {[string, (body: string) => string]} */ (where[round % where.length]);
    current ??= await fresh();
    const { outcome, took } = await interruptOnce(current.kernel, cell(loop.body));
    total += 1;
    times.push(took);
    if (outcome === 'Interrupted' || outcome === 'KeyboardInterrupt') {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      continue;
    }
    problems += 1;
    const said = `${place}: ${outcome}`;
    outcomes.set(said, (outcomes.get(said) ?? 0) + 1);
    if (/^lost|^no answer|^later/.test(outcome)) {
      await current.kernel.kill();
      current = undefined;
    }
  }
  const told = [...outcomes].map(([what, count]) => `${count} ${what}`).join('; ');
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  times.sort((left, right) => left - right);
  const [middle, slowest] = [times[times.length >> 1], times.at(-1)].map(time => (time ?? 0).toFixed(0));
  console.log(
    `${loop.name.padEnd(34)} ${seconds.padStart(6)} s, median ${middle} ms, slowest ${slowest} ms: ${told}`
  );
}
await current?.kernel.close();
console.log(`${total} interrupts, ${problems} problems`);
process.exit(problems === 0 ? 0 : 1);

async function fresh() {
  const { argv, env } = stridelab();
  const more = Object.fromEntries(values.env.map(pair => pair.split('=', 2)));
  const kernel = await BenchClient.start(argv, {
    env: { ...env, ...more },
    ...(values.log === undefined ? {} : { log: values.log })
  });
  await mustRun(kernel, setUp);
  const has = new Set(['device']);
  const { outputs } = await kernel.execute('simulated');
  if (textOf(outputs).includes('true')) has.add('simulated');
  for (const [need, code] of /** @type {const} */ ([
    ['cuda', setUpCuda],
    ['python', setUpPython]
  ])) {
    if (need === 'cuda' && has.has('simulated')) continue;
    const { reply } = await kernel.execute(code);
    if (reply['status'] === 'ok') has.add(need);
    else console.log(`without ${need}: ${reply['evalue']}`);
  }
  return { kernel, has };
}

/** @param {BenchClient} kernel @param {string} code */
async function mustRun(kernel, code) {
  const { reply } = await kernel.execute(code);
  if (reply['status'] !== 'ok')
    throw new Error(`${reply['ename']}: ${reply['evalue']}\n${reply['traceback']?.join('\n')}`);
}

/** @param {BenchClient} kernel @param {string} code */
async function interruptOnce(kernel, code) {
  let id = '';
  let asked = 0;
  let ended = '';
  let complaints = '';
  const stop = kernel.listen((_, { type, parent, content }) => {
    if (parent === id && type === 'execute_reply') ended = `${content['ename']}: ${content['evalue']}`;
    if (type === 'stream' && content['name'] === 'stderr') complaints ||= content['text'];
  });
  const begins = kernel.next(
    (_, { type, parent, content }) =>
      ended !== '' || (parent === id && type === 'stream' && content['text'].includes('begun')),
    BEGIN_MS
  );
  id = kernel.sendExecution(code);
  try {
    await begins;
    await new Promise(resolve => setTimeout(resolve, random() * longest));
    if (ended !== '') {
      stop();
      return { outcome: `ended by itself: ${ended} ${complaints}`, took: 0 };
    }
    const done = kernel.next(() => ended !== '', STOP_MS);
    asked = performance.now();
    kernel.interrupt('message');
    await done;
  } catch (error) {
    stop();
    if (!(error instanceof NoAnswer)) throw error;
    return { outcome: `no answer: ${error.message} ${complaints}`, took: 0 };
  }
  const took = performance.now() - asked;
  const ename = ended.slice(0, ended.indexOf(':'));
  try {
    const probe = `await probe(); 'kept ' + (kept >= 42) + ' ' + zeros(3).item(0) + ' ' + s.capturing`;
    let { reply, outputs } = await kernel.execute(probe, STOP_MS);
    // Shortly after the interrupt the kernel may abort it, like a queued cell.
    if (reply['ename'] === 'Aborted') ({ reply, outputs } = await kernel.execute(probe, STOP_MS));
    const text = textOf(outputs);
    if (reply['ename'] === 'ReferenceError') return { outcome: `lost: ${ended} ${complaints}`, took };
    if (!text.includes('kept true 0 false'))
      return { outcome: `later: ${[text, ...(reply['traceback'] ?? [])].join('\n')} after ${ended}`, took };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { outcome: `no answer afterwards (${error.message}): ${ended} ${complaints}`, took };
  } finally {
    stop();
  }
  return { outcome: ename === 'Interrupted' || ename === 'KeyboardInterrupt' ? ename : ended, took };
}
