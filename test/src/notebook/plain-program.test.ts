// A delay with a value, to simulate slow work.
// eslint-disable-next-line no-restricted-imports
import { setTimeout as sleep } from 'node:timers/promises';
import {
  capture,
  clearOutput,
  display,
  html,
  image,
  jupyter,
  progress
} from '../../../src/notebook/index.ts';
import { TerminalBars } from '../../../src/notebook/terminal-bars.ts';

/** The text that `work` writes to a stream of this process. */
async function written(name: 'stdout' | 'stderr', work: () => unknown): Promise<string> {
  const stream = process[name];
  const { write } = stream;
  let text = '';
  stream.write = (chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  };
  try {
    await work();
  } finally {
    stream.write = write;
  }
  return text;
}

test('display prints text, and parts that need a page are left out', async () => {
  const slow = { [Symbol.for('Jupyter.display')]: () => sleep(5, { 'text/plain': 'slow' }) };
  const text = await written('stdout', async () => {
    const shown = display({ a: 1 });
    await shown.update(html`<b>${2}</b>`);
    await display(slow);
    await display({ 'image/x': 'eA==' }, { raw: true });
    clearOutput();
  });
  expect(text).toBe('{ a: 1 }\n<b>2</b>\nslow\n[image/x]\n');
});

test('a display method that takes too long is replaced by text, which is printed after all', async () => {
  const { render } = await import('../../../src/notebook/rendering.ts');
  const slow = { [Symbol.for('Jupyter.display')]: () => sleep(60, { 'text/html': 'late' }) };
  const rendering = await render(slow, { deadline: 10, colors: false });
  expect(rendering.problem).toMatch(/nothing within 0.01 s/);
  expect(rendering.data).not.toHaveProperty(['text/html']);
  expect((await rendering.late)?.data['text/html']).toBe('late');
});

test('capture captures the output of this code, and not that of other code running meanwhile', async () => {
  const text = await written('stdout', async () => {
    const both = Promise.all([
      capture(async () => {
        process.stdout.write('a');
        await sleep(5);
        process.stdout.write('b');
        return 1;
      }),
      capture(() => process.stdout.write('c'))
    ]);
    process.stdout.write('outside');
    const [first, second] = await both;
    expect([first.stdout, first.value, second.stdout]).toEqual(['ab', 1, 'c']);
    await expect(capture(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
  });
  expect(text).toBe('outside');
});

test('progress without a terminal reports how it ended', async () => {
  const text = await written('stderr', () => {
    for (const _ of progress(['a', 'b'], { description: 'work' }));
    for (const _ of progress([])) throw new Error('empty');
  });
  expect(text).toMatch(/^work █{30} 100 % · 2\/2 · .*\n█{30} 100 % · 0\/0 · .*\n$/);
});

test('bars in a terminal stay below the printed text', () => {
  const screen: string[] = [];
  const stream = { columns: 80, write: (text: string) => screen.push(text) > 0 };
  const bars = new TerminalBars(stream as never);
  const [one, two] = [{}, {}];
  const { write } = process.stdout;
  process.stdout.write = text => screen.push(String(text)) > 0;
  bars.set(one, 'one 1', false);
  bars.set(two, 'two 1', false);
  process.stdout.write('print\n');
  bars.set(two, 'two done', true);
  bars.set(one, 'one done', true);
  const written = process.stdout.write;
  process.stdout.write = write;
  expect(screen.join('').split('\r').at(-1)).toBe('\x1b[Jone done\n');
  expect(screen.join('')).toContain('\r\x1b[1A\x1b[Jprint\none 1\ntwo 1');
  // The streams have their original functions again.
  expect(String(written)).toContain('screen');
});

test('pictures report what is wrong with them', async () => {
  const shown = async (picture: unknown): Promise<unknown> => {
    const { render } = await import('../../../src/notebook/rendering.ts');
    return (await render(picture)).problem;
  };
  expect(await shown(image(new Uint8Array()))).toContain('is empty');
  expect(await shown(image(new Uint8Array([0xde, 0xad])))).toContain('begins with the bytes dead');
  expect(await shown(image('data:text/plain,hello'))).toContain('is not a PNG');
  expect(await jupyter.format(image(Buffer.from('<?xml version="1.0"?><svg></svg>')))).toHaveProperty([
    'image/svg+xml'
  ]);
  expect(() => jupyter.broadcast('x', {})).toThrow('does not run in a notebook');
});

test.each([
  ['image/gif', '47494638396105000700'],
  ['image/webp', '524946460000000057454250565038580a0000000000000004000006000000'],
  ['image/webp', '524946460000000057454250565038200000000000000000000005000700'],
  ['image/jpeg', 'ffd8ffe000040000ffc0000b08000700050100']
])('%s has its size as its text', async (type, hex) => {
  const { imageFormat } = await import('../../../src/notebook/image-format.ts');
  expect(imageFormat(Buffer.from(hex, 'hex'))).toEqual({ type, size: { width: 5, height: 7 } });
  for (let length = 3; length < hex.length / 2; length += 1)
    expect(() => imageFormat(Buffer.from(hex, 'hex').subarray(0, length))).not.toThrow();
});
