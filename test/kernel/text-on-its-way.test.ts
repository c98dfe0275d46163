import { FlowControl } from '../../kernel/front/output/flow-control.ts';
import { OutputOrder } from '../../kernel/front/output/output-order.ts';
import { StreamGatherer } from '../../kernel/front/output/stream-gatherer.ts';
import { encodeMark, markPrefix } from '../../kernel/protocol/output-marks.ts';
import type { StreamContent } from './drawn.ts';
import { pass } from '../setup/until.ts';

describe('the stream gatherer', () => {
  const gather = (): { sent: string[]; gatherer: StreamGatherer } => {
    const sent: string[] = [];
    return {
      sent,
      gatherer: new StreamGatherer((cell, _, content) => {
        const { name, text } = content as StreamContent;
        sent.push(`${cell} ${name} ${text}`);
      })
    };
  };

  test('keeps cells apart and the order of streams within one', () => {
    const { sent, gatherer } = gather();
    for (const [cell, name] of [
      ['a', 'stdout'],
      ['b', 'stdout'],
      ['a', 'stderr'],
      ['a', 'stdout'],
      ['b', 'stdout']
    ] as const)
      gatherer.append(cell, name, 'x');
    gatherer.append('a', 'stdout', '');
    gatherer.flush();
    gatherer.flush();
    expect(sent).toEqual(['a stdout x', 'a stderr x', 'a stdout x', 'b stdout xx']);
  });

  test('sends a flood in large messages and gives up the order of streams that alternate all the time', () => {
    const { sent, gatherer } = gather();
    for (let index = 0; index < 10_000; index += 1) {
      gatherer.append('a', 'stdout', `${index}\n`);
      gatherer.append('a', 'stderr', 'e'.repeat(50));
    }
    gatherer.flush();
    expect(sent.length).toBeLessThan(100);
    const out = sent.filter(text => text.startsWith('a stdout ')).map(text => text.slice('a stdout '.length));
    expect(out.join('')).toBe(Array.from({ length: 10_000 }, (_, index) => `${index}\n`).join(''));
  });
});

test('characters that arrive in chunks are decoded whole, separately for each cell', () => {
  const texts: Record<string, string> = { one: '', two: '', wrong: '' };
  const gatherer = new StreamGatherer(
    (cell, _, content) => void (texts[cell] += (content as StreamContent).text)
  );
  const text = 'aé日😀';
  for (const byte of Buffer.from(text))
    for (const cell of ['one', 'two']) gatherer.appendBytes(cell, 'stdout', Buffer.from([byte]));
  for (const bytes of [[0xff, 0x61], [0xe6, 0x97], [0x62]])
    gatherer.appendBytes('wrong', 'stdout', Buffer.from(bytes));
  gatherer.flush();
  expect(texts).toEqual({ one: text, two: text, wrong: '\ufffda\ufffdb' });
});

describe('the order of output', () => {
  const prefix = markPrefix(7);
  const mark = (number: number): Buffer => encodeMark(prefix, number);
  const order = (): { seen: string[]; output: OutputOrder; frame: (number?: number) => void } => {
    const seen: string[] = [];
    const output = new OutputOrder(
      prefix,
      (name, text) => void (text !== '' && seen.push(`${name} ${text}`))
    );
    return { seen, output, frame: number => output.frame(number, () => seen.push(`frame ${number}`)) };
  };

  test('follows the marks, whichever pipe is read first', () => {
    const { seen, output, frame } = order();
    frame(1);
    frame(2);
    frame();
    output.native('stdout', Buffer.concat([mark(1), Buffer.from('between'), mark(2), Buffer.from('after')]));
    expect(seen).toEqual([]);
    output.native('stderr', Buffer.concat([Buffer.from('before'), mark(1), mark(2)]));
    expect(seen).toEqual([
      'stderr before',
      'frame 1',
      'stdout between',
      'frame 2',
      'stdout after',
      'frame undefined'
    ]);
  });

  test('survives chunks of any size, and text that looks like a mark', () => {
    const { seen, output, frame } = order();
    const bytes = Buffer.concat([Buffer.from('é\x1b_strideläb'), mark(1), Buffer.from('日')]);
    frame(1);
    output.native('stderr', mark(1));
    for (const byte of bytes) output.native('stdout', Buffer.from([byte]));
    expect(seen.join('')).toBe(
      `${[...'é'].map(text => `stdout ${text}`).join('')}stdout \x1b_stridelstdout ästdout bframe 1stdout 日`
    );
  });

  test('does not wait for lost marks, and returns everything at the end', async () => {
    const { seen, output, frame } = order();
    frame(1);
    output.native('stdout', mark(1));
    await pass(120, 'marks are waited for so long');
    expect(seen).toEqual(['frame 1']);
    frame(2);
    output.native('stdout', Buffer.concat([mark(2), Buffer.from('x'), prefix]));
    expect(seen).toEqual(['frame 1', 'frame 2', 'stdout x']);
    output.native('stderr', mark(2));
    frame(3);
    output.end();
    expect(seen.slice(3)).toEqual(['frame 3', `stdout ${prefix.toString()}`]);
  });
});

describe('flow control', () => {
  const control = (): { states: boolean[]; flow: FlowControl } => {
    const states: boolean[] = [];
    return { states, flow: new FlowControl(paused => void states.push(paused)) };
  };

  test('stops reading while much is waiting to be sent', () => {
    const { states, flow } = control();
    for (const bytes of [1e6, 17e6, 30e6, 5e6, 4e6, 17e6, 0]) flow.backlog = bytes;
    expect(states).toEqual([true, false, true, false]);
  });

  test('stops after many messages, starts again at idle, and lets an interrupted cell through', () => {
    const { states, flow } = control();
    for (let count = 0; count < 2_000; count += 1) flow.published('status');
    expect(states).toEqual([]);
    for (let count = 0; count < 1_500; count += 1) flow.published('display_data');
    expect(states).toEqual([true]);
    flow.idle();
    expect(states).toEqual([true, false]);
    flow.letThrough();
    for (let count = 0; count < 1_500; count += 1) flow.published('display_data');
    expect(states).toEqual([true, false]);
  });
});
