/** Measures one kernel. Each part starts a new kernel, so that it does not affect the next part. */

import { setTimeout as sleep } from 'node:timers/promises';
import { BenchClient, NoAnswer, textOf } from './client.mjs';
import { cells } from './cells.mjs';
import { measureInterrupts } from './interrupts.mjs';
import { treeMemory } from './memory.mjs';

/** @typedef {import('./peers.mjs').Peer} Peer */
/** @typedef {Record<string, number | string | undefined>} Figures by the keys of table.mjs; text if there is no number */

/**
 * @typedef {object} Sizes
 * @property {number} starts
 * @property {number} cells
 * @property {number} requests
 * @property {number} lines
 * @property {number} rounds of each interrupt situation
 * @property {number} settle idle ms before memory is read
 */

const SHORT_MS = 5_000;
const PEER_ROUNDS = 2;
const PEER_SETTLE_MS = 400;
const WAIT_BEFORE_INTERRUPT_MS = 500;
const INTERRUPT_DEADLINE_MS = 5_000;
/** From a kernel's first answer to the first completion: the time in which a user begins to type. */
const BEFORE_COMPLETION_MS = 1_000;

/** @param {Peer} peer @param {Sizes} sizes @param {string} log @returns {Promise<Figures>} */
export async function measure(peer, sizes, log) {
  const parts = { starts, steady, wrong, firstCompletion, language, stdout, interrupts, hot };
  /** @type {Figures} */
  const figures = {};
  const options = { log, ...(peer.env && { env: peer.env }) };
  const start = () => BenchClient.start(peer.argv, options);
  for (const [name, part] of Object.entries(parts)) {
    try {
      Object.assign(figures, await part(start, peer, sizes));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      figures[name] = error.message;
    }
  }
  return figures;
}

/** @typedef {(start: () => Promise<BenchClient>, peer: Peer, sizes: Sizes) => Promise<Figures>} Part */

/** @type {Part} */
async function starts(start, { language }, { starts: count }) {
  /** @type {Record<'start' | 'first' | 'exit', number[]>} */
  const times = { start: [], first: [], exit: [] };
  let lost = 0;
  for (let run = 0; run < count; run += 1) {
    const kernel = await start();
    times.start.push(kernel.startTime);
    if (kernel.lostFirst) lost += 1;
    times.first.push((await kernel.execute(cells[language].steady)).total);
    const took = await kernel.close();
    if (took !== undefined) times.exit.push(took);
  }
  return {
    start: median(times.start),
    lost,
    first: median(times.first),
    exit: times.exit.length === 0 ? 'killed after 5 s' : median(times.exit)
  };
}

/** @type {Part} */
async function steady(start, { language }, { cells: count, settle }) {
  return within(await start(), async kernel => {
    await sleep(settle);
    const idle = treeMemory(pidOf(kernel));
    for (let n = 0; n < 5; n += 1) await kernel.execute(cells[language].steady);
    // Includes a type server that starts after the first cells.
    await sleep(settle);
    const early = treeMemory(pidOf(kernel));
    const same = await times(count, () => kernel.execute(cells[language].steady, SHORT_MS));
    const fresh = await times(count, n => kernel.execute(cells[language].fresh(n), SHORT_MS));
    await sleep(settle);
    return {
      steady: median(same.times),
      steady95: percentile(same.times, 0.95),
      fresh: median(fresh.times),
      fresh95: percentile(fresh.times, 0.95),
      unanswered: same.lost + fresh.lost,
      idle: idle.rss,
      idlePss: idle.pss,
      early: early.rss,
      late: treeMemory(pidOf(kernel)).rss
    };
  });
}

/** @type {Part} */
async function wrong(start, { language }, { requests }) {
  return within(await start(), async kernel => {
    await kernel.execute(cells[language].steady);
    await sleep(1_000);
    let told = '';
    let later = false;
    const stop = kernel.listen((_, { type }) => {
      if (type === 'display_data' || type === 'stream' || type === 'error') later = true;
    });
    // Some kernels abort cells for a while after a failed one.
    const { times: found } = await times(Math.min(requests, 20), async () => {
      await sleep(300);
      const answer = await kernel.execute(cells[language].wrong, SHORT_MS);
      told = textOf(answer.outputs);
      return answer;
    });
    await sleep(300);
    stop();
    return {
      wrong: median(found),
      wrongTold: told !== '' ? 'reported' : later ? 'reported later' : 'not noticed'
    };
  });
}

/** The first completion of a session in which no cell has run. @type {Part} */
async function firstCompletion(start, { language: name }, { starts: count }) {
  const [code, cursor_pos] = cells[name].completeFirst;
  /** @type {number[]} */
  const found = [];
  for (let run = 0; run < count; run += 1) {
    await within(await start(), async kernel => {
      await sleep(BEFORE_COMPLETION_MS);
      found.push((await kernel.request('complete_request', { code, cursor_pos })).total);
      return {};
    });
  }
  return { completeFirst: median(found) };
}

/** @type {Part} */
async function language(start, { language: name, interrupt }, { requests }) {
  return within(await start(), async kernel => {
    const { setup, complete, inspect, loop } = cells[name];
    await kernel.execute(setup);
    const ask = async () => {
      const completions = await times(requests, () =>
        kernel.request('complete_request', { code: complete[0], cursor_pos: complete[1] }, SHORT_MS)
      );
      const inspections = await times(requests, () =>
        kernel.request(
          'inspect_request',
          { code: inspect[0], cursor_pos: inspect[1], detail_level: 0 },
          SHORT_MS
        )
      );
      return { complete: completions, inspect: inspections };
    };
    const idle = await ask();
    const { reply } = await kernel.request('inspect_request', { code: inspect[0], cursor_pos: inspect[1] });
    kernel.sendExecution(loop);
    await sleep(300);
    /** @type {Figures} */
    let busy;
    try {
      await kernel.request('complete_request', { code: complete[0], cursor_pos: complete[1] }, 1_000);
      const answers = await ask();
      busy = { completeBusy: median(answers.complete.times), inspectBusy: median(answers.inspect.times) };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      busy = { completeBusy: 'no answer', inspectBusy: 'no answer' };
    }
    kernel.interrupt(interrupt);
    return {
      complete: median(idle.complete.times),
      inspect: reply['found'] === true ? median(idle.inspect.times) : 'finds nothing',
      ...busy
    };
  });
}

/** @type {Part} */
async function stdout(start, { language: name }, { lines, settle }) {
  return within(await start(), async kernel => {
    await kernel.execute(cells[name].steady);
    await sleep(1_000);
    let seen = 0;
    let messages = 0;
    let last = 0;
    const stop = kernel.listen((_, { type, content, at }) => {
      if (type !== 'stream') return;
      seen += content['text'].split('\n').length - 1;
      messages += 1;
      last = at;
    });
    const begun = performance.now();
    let atIdle = 0;
    try {
      await kernel.execute(cells[name].print(lines), 30_000);
      atIdle = seen;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
    }
    for (let before = -1; seen < lines && before !== seen;) {
      before = seen;
      await sleep(2_000);
    }
    stop();
    await sleep(settle);
    return {
      lines: seen < lines ? `${seen} lines, then nothing` : (seen / (last - begun)) * 1_000,
      messages,
      atIdle: `${Math.floor((atIdle / lines) * 100)} %`,
      afterPrinting: treeMemory(pidOf(kernel)).rss
    };
  });
}

/** @type {Part} */
async function interrupts(start, { name: who, language: name, interrupt }, sizes) {
  if (name !== 'py') {
    // Situations that end a peer take most of its time.
    const rounds = who === 'Stridelab' ? sizes.rounds : Math.min(sizes.rounds, PEER_ROUNDS);
    const settle = who === 'Stridelab' ? 0 : PEER_SETTLE_MS;
    const results = Object.values(await measureInterrupts(start, interrupt, rounds, settle));
    const all = results.flatMap(({ times }) => times);
    return {
      situations: `${results.filter(({ rounds: wanted, kept }) => kept === wanted).length} of ${results.length}`,
      interrupt: all.length === 0 ? 'none stopped' : median(all),
      interrupt95: all.length === 0 ? undefined : percentile(all, 0.95),
      interruptMost: all.length === 0 ? undefined : Math.max(...all),
      stopped: `${results.reduce((sum, { kept }) => sum + kept, 0)} of ${rounds * results.length}`
    };
  }
  const loop = await interruptOnce(start, interrupt, cells[name].loop, cells[name]);
  const wait = await interruptOnce(start, interrupt, cells[name].wait, cells[name]);
  return { interrupt: loop, interruptWait: wait };
}

/** @param {() => Promise<BenchClient>} start @param {'message' | 'signal'} mode @param {string} code @param {import('./cells.mjs').Cells} language */
async function interruptOnce(start, mode, code, { setup, survivor }) {
  return within(await start(), async kernel => {
    await kernel.execute(setup);
    const id = kernel.sendExecution(code);
    await sleep(WAIT_BEFORE_INTERRUPT_MS);
    const ended = kernel.next(
      (channel, { parent }) => channel === 'shell' && parent === id,
      INTERRUPT_DEADLINE_MS
    );
    const asked = performance.now();
    kernel.interrupt(mode);
    try {
      const { at } = await ended;
      await sleep(300);
      const kept = textOf((await kernel.execute(survivor, SHORT_MS)).outputs).includes('survivor=42');
      return kept ? at - asked : 'state lost';
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return `not within ${INTERRUPT_DEADLINE_MS / 1_000} s`;
    }
  });
}

/** @type {Part} */
async function hot(start, { language }) {
  const { steady: warm, hot: code } = cells[language];
  if (code === undefined) return {};
  return within(await start(), async kernel => {
    await kernel.execute(warm);
    return { hot: (await kernel.execute(code)).total };
  });
}

/** @template Result @param {BenchClient} kernel @param {(kernel: BenchClient) => Promise<Result>} work */
async function within(kernel, work) {
  try {
    return await work(kernel);
  } finally {
    await kernel.close();
  }
}

/** @param {number} count @param {(n: number) => Promise<import('./client.mjs').Answer>} ask */
async function times(count, ask) {
  /** @type {number[]} */
  const found = [];
  let lost = 0;
  for (let n = 0; n < count; n += 1) {
    try {
      found.push((await ask(n)).total);
    } catch (error) {
      if (!(error instanceof NoAnswer) || lost >= 3) throw error;
      lost += 1;
    }
  }
  return { times: found, lost };
}

/** @param {BenchClient} kernel */
const pidOf = kernel => /** @type {number} */ (kernel.child.pid);

/** @param {readonly number[]} values */
const median = values => percentile(values, 0.5);

/** @param {readonly number[]} values @param {number} share */
function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
