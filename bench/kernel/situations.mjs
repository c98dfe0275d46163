/** The situations in which a running cell must stop when it is interrupted. */

const never = 'await new Promise(() => {});';

/** Each cell prints `begun` just before it blocks. @type {Readonly<Record<string, string>>} */
export const situations = {
  loop: "console.log('begun'); while (true) {}",
  'loop with catch and finally':
    "console.log('begun'); try { while (true) {} } catch { while (true) {} } finally { while (true) {} }",
  'generator with finally':
    "console.log('begun'); function* g() { try { while (true) yield 1; } finally { while (true) {} } } for (const x of g());",
  'loop after a microtask': "await 0; console.log('begun'); while (true) {}",
  'loop after a timer': "await new Promise(r => setTimeout(r, 5)); console.log('begun'); while (true) {}",
  'loop in a timer': `setTimeout(() => { console.log('begun'); while (true) {} }, 5); ${never}`,
  'loop in an interval': `setInterval(() => { console.log('begun'); while (true) {} }, 5); ${never}`,
  'loop in an immediate': `setImmediate(() => { console.log('begun'); while (true) {} }); ${never}`,
  'loop in a file callback': `(await import('node:fs')).readFile('.', () => { console.log('begun'); while (true) {} }); ${never}`,
  'loop after a file promise':
    "await (await import('node:fs/promises')).stat('.'); console.log('begun'); while (true) {}",
  "loop in a child process's event": `(await import('node:child_process')).spawn('true').on('exit', () => { console.log('begun'); while (true) {} }); ${never}`,
  'storm of microtasks': `console.log('begun'); const storm = () => void Promise.resolve().then(storm); storm(); ${never}`,
  'storm of ticks': `console.log('begun'); const tick = () => process.nextTick(tick); tick(); ${never}`,
  'regular expression': "console.log('begun'); /(a+)+b/.test('a'.repeat(40));",
  'loop of JSON':
    "const data = Array.from({ length: 1000 }, (_, i) => ({ i })); console.log('begun'); while (true) JSON.parse(JSON.stringify(data));",
  'Atomics.wait': "console.log('begun'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
  'wait that never ends': `setInterval(() => {}, 100); console.log('begun'); ${never}`
};

/** Run after each interrupt: checks that the variable exists and that timers and files work. */
export const probe =
  "await new Promise(r => setTimeout(r, 2)); await (await import('node:fs/promises')).stat('.'); console.log('kept=' + kept)";
