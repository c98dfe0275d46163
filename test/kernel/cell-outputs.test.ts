/** The outputs that the kernel keeps for a reloaded page: complete, in order, within bounds, and for a limited time. */

import { jest } from '@jest/globals';
import { CellOutputs, type CellOutputsHost } from '../../kernel/front/output/cell-outputs.ts';
import type { JupyterMessage } from '../../kernel/protocol/messages.ts';
import type { CellRun } from '../../src/notebook/cell-outputs.ts';
import { isSaved } from '../../src/notebook/resumable-runs.ts';

const MIB = 2 ** 20;

function request(id: string, more: Partial<JupyterMessage> = {}): JupyterMessage {
  const header = { msg_id: id, session: 'page', username: '', date: '', msg_type: '', version: '5.5' };
  return {
    identities: [],
    header,
    parent: {},
    metadata: { cellId: `cell of ${id}` },
    content: {},
    buffers: [],
    ...more
  };
}

/** The kernel's side, without a kernel. */
class Front {
  readonly told: unknown[] = [];
  readonly outputs: CellOutputs;
  #count = 0;

  constructor() {
    const host: CellOutputsHost = {
      reply: ({ header, identities }, content) =>
        this.told.push(['reply', header.msg_id, String(identities), content]),
      idle: ({ header }) => this.told.push(['idle', header.msg_id])
    };
    this.outputs = new CellOutputs(host);
  }

  publish(id: string | undefined, type: string, content: object): void {
    this.#count += 1;
    const parent = id === undefined ? {} : request(id).header;
    const bytes = Buffer.byteLength(JSON.stringify(content));
    this.outputs.note({ type, content, parent }, `kernel_${this.#count}`, bytes);
  }

  print(id: string, text: string, name = 'stdout'): void {
    this.publish(id, 'stream', { name, text });
  }

  end(id: string): void {
    this.outputs.replied(id, { status: 'ok', of: id });
    this.outputs.ended(id);
  }

  get runs(): readonly CellRun[] {
    return this.outputs.content().runs;
  }

  /** A summary of the output of a run. */
  shown(id: string): unknown[] {
    const { messages } = this.runs.find(run => run.id === id)!;
    return messages.map(
      ({ type, content }) => content['text'] ?? content['data'] ?? content['evalue'] ?? type
    );
  }
}

let front: Front;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['performance'] });
  front = new Front();
});
afterEach(() => jest.useRealTimers());

const display = (data: string, display_id: string): object => ({
  data,
  metadata: {},
  transient: { display_id }
});

describe('messages', () => {
  test('of a run are kept in order; consecutive text is one message', () => {
    front.outputs.add(request('a'));
    expect(front.runs).toEqual([
      {
        id: 'a',
        cell_id: 'cell of a',
        session: 'page',
        ended: null,
        latest: null,
        shortened: false,
        messages: []
      }
    ]);
    front.publish('a', 'execute_input', { code: '', execution_count: 1 });
    front.print('a', '1');
    front.print('a', '2');
    front.print('a', 'e', 'stderr');
    front.print('a', '3');
    front.publish('a', 'display_data', { data: 'picture', metadata: {} });
    front.publish('a', 'comm_msg', { comm_id: 'c', data: {} });
    front.publish('a', 'status', { execution_state: 'busy' });
    front.publish('a', 'execute_result', { data: 'result', metadata: {}, execution_count: 1 });
    front.publish('a', 'error', { ename: 'E', evalue: 'failed', traceback: [] });
    expect(front.shown('a')).toEqual(['12', 'e', '3', 'picture', 'result', 'failed']);
    expect(front.runs[0]!.latest).toBe('kernel_10');
  });

  test('of several runs are kept apart; messages of unknown runs are not kept', () => {
    front.outputs.add(request('a'));
    front.outputs.add(request('b'));
    front.outputs.add(request('console', { metadata: {} }));
    front.outputs.add(request('number', { metadata: { cellId: 7 } }));
    front.outputs.add(request('silent', { content: { silent: true } }));
    for (const id of ['b', 'a', 'console', 'number', 'silent', 'unknown']) front.print(id, id);
    front.publish(undefined, 'stream', { name: 'stdout', text: 'nobody’s' });
    expect(front.runs.map(({ id }) => [id, front.shown(id)])).toEqual([
      ['a', ['a']],
      ['b', ['b']]
    ]);
    expect(front.runs.length).toBe(2);
    expect(front.outputs.has('silent')).toBe(false);
  });

  test('that are cleared are dropped: immediately, or when another message replaces them', () => {
    front.outputs.add(request('a'));
    front.print('a', 'first');
    front.publish('a', 'clear_output', { wait: false });
    expect(front.shown('a')).toEqual([]);
    front.print('a', 'second');
    front.publish('a', 'clear_output', { wait: true });
    front.publish('a', 'update_display_data', display('no output', 'd'));
    expect(front.shown('a')).toEqual(['second', 'clear_output', 'no output']);
    front.print('a', 'third');
    front.print('a', ' and more');
    expect(front.shown('a')).toEqual(['third and more']);
  });

  test('that update a display are kept once per display, the latest one', () => {
    front.outputs.add(request('a'));
    front.publish('a', 'display_data', display('x0', 'x'));
    front.publish('a', 'display_data', display('y0', 'y'));
    for (let turn = 1; turn <= 1_000; turn++) {
      front.publish('a', 'update_display_data', display(`x${turn}`, 'x'));
      front.publish('a', 'update_display_data', display(`y${turn}`, 'y'));
    }
    expect(front.shown('a')).toEqual(['x0', 'y0', 'x1000', 'y1000']);
  });
});

describe('a bound', () => {
  test('of 4 MiB: the run with the most loses its oldest, and reports that', () => {
    front.outputs.add(request('small'));
    front.outputs.add(request('large'));
    front.print('small', 'small');
    for (let turn = 0; turn < 100; turn++) front.print('large', String(turn).padEnd(100_000, '.'));
    const [small, large] = front.runs;
    expect([small!.shortened, large!.shortened]).toEqual([false, true]);
    expect(front.shown('small')).toEqual(['small']);
    const kept = front.shown('large').map(text => parseInt(text as string));
    expect(kept).toEqual(kept.map((_, index) => 100 - kept.length + index));
    expect(kept.length).toBe(Math.floor((4 * MIB) / 100_000));
    // Clearing frees space, and all later output is kept.
    front.publish('large', 'clear_output', { wait: false });
    for (let turn = 0; turn < 40; turn++) front.print('small', '.'.repeat(100_000));
    expect(front.runs.map(({ shortened }) => shortened)).toEqual([false, false]);
  });

  test('holds for one message that is longer, and for a million short ones', () => {
    front.outputs.add(request('a'));
    front.publish('a', 'display_data', { data: '.'.repeat(5 * MIB), metadata: {} });
    expect([front.shown('a'), front.runs[0]!.shortened]).toEqual([[], true]);
    front.outputs.add(request('b'));
    for (let turn = 0; turn < 1_000_000; turn++) front.print('b', 'line\n');
    const { messages, shortened } = front.runs.find(({ id }) => id === 'b')!;
    expect(shortened).toBe(true);
    expect(messages.length).toBeLessThan(100);
    expect(JSON.stringify(messages).length).toBeLessThan(4 * MIB);
  });

  test('is not reached by a line that overwrites itself for hours', () => {
    front.outputs.add(request('a'));
    for (let turn = 0; turn < 500_000; turn++) front.print('a', `\rstep ${turn} of 500000`);
    const [{ messages, shortened }] = front.runs as [CellRun];
    expect(shortened).toBe(false);
    expect(JSON.stringify(messages).length).toBeLessThan(200_000);
    expect((messages.at(-1)!.content['text'] as string).endsWith('\rstep 499999 of 500000')).toBe(true);
  });

  test('of a minute: a run that ended is forgotten, with its late messages', () => {
    front.outputs.add(request('a'));
    front.end('a');
    front.print('a', 'late');
    expect(front.shown('a')).toEqual(['late']);
    expect(Date.parse(front.runs[0]!.ended!)).toBe(Date.now());
    expect(front.outputs.until).toBe(front.runs[0]!.ended);
    jest.advanceTimersByTime(59_000);
    expect(front.runs.length).toBe(1);
    jest.advanceTimersByTime(2_000);
    expect(front.runs.length).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('of a thousand runs that have ended', () => {
    front.outputs.add(request('running'));
    for (let turn = 0; turn < 1_200; turn++) {
      front.outputs.add(request(String(turn)));
      front.end(String(turn));
    }
    expect(front.runs.length).toBe(1_001);
    expect(front.runs[0]!.id).toBe('running');
    expect(front.runs[1]!.id).toBe('200');
  });
});

describe('a cell that is run again', () => {
  test('shows the later run only, whether the earlier one has ended or not', () => {
    const again = (id: string): JupyterMessage => request(id, { metadata: { cellId: 'the cell' } });
    for (const id of ['a', 'b', 'c']) front.outputs.add(again(id));
    front.print('b', 'not seen');
    expect(front.runs.map(({ id }) => id)).toEqual(['c']);
    front.outputs.follow(request('b'));
    for (const id of ['a', 'b', 'c']) front.end(id);
    // The follower is notified of the end, and nothing of the run is kept.
    expect(front.told).toEqual([['reply', 'b', '', { status: 'ok', of: 'b' }]]);
    expect(front.outputs.has('b')).toBe(false);
    front.outputs.add(again('d'));
    expect(front.runs.map(({ id }) => id)).toEqual(['d']);
  });
});

test('the latest end is reported: for a run that continues, the current time', () => {
  expect(front.outputs.until).toBeNull();
  front.outputs.add(request('a'));
  front.outputs.add(request('b'));
  front.end('a');
  jest.advanceTimersByTime(5_000);
  expect(front.outputs.until).toBe(new Date().toISOString());
  front.end('b');
  const ended = new Date().toISOString();
  jest.advanceTimersByTime(5_000);
  expect(front.outputs.until).toBe(ended);
});

test('a file contains the output of a run that ended shortly before it was saved', () => {
  const at = (milliseconds: number): string => new Date(1e12 + milliseconds).toISOString();
  expect(isSaved(at(0), at(250))).toBe(true);
  expect(isSaved(at(0), at(100))).toBe(false);
  expect(isSaved(at(0), at(-1_000))).toBe(false);
  expect(isSaved(null, at(250))).toBe(false);
  expect(isSaved(at(0), undefined)).toBe(false);
});

describe('a page that follows a run', () => {
  const from = (name: string): JupyterMessage => request('a', { identities: [Buffer.from(name)] });

  test('is answered at the end of the run, each page once', () => {
    front.outputs.add(request('a'));
    expect(front.outputs.follow(from('one'))).toBe(true);
    expect(front.outputs.follow(from('two'))).toBe(true);
    expect(front.told).toEqual([]);
    front.end('a');
    const content = { status: 'ok', of: 'a' };
    expect(front.told).toEqual([
      ['reply', 'a', 'one', content],
      ['reply', 'a', 'two', content]
    ]);
  });

  test('is answered immediately after the end, and is sent the idle status again', () => {
    front.outputs.add(request('a'));
    front.end('a');
    expect(front.outputs.follow(from('late'))).toBe(false);
    expect(front.told).toEqual([
      ['reply', 'a', 'late', { status: 'ok', of: 'a' }],
      ['idle', 'a']
    ]);
  });

  test('gets an error for an unknown run', () => {
    expect(front.outputs.follow(from('lost'))).toBe(false);
    expect(front.told).toEqual([
      ['reply', 'a', 'lost', expect.objectContaining({ status: 'error', ename: 'UnknownRun' })]
    ]);
  });

  test('an end that is reported twice, or of an unknown run, changes nothing', () => {
    front.outputs.add(request('a'));
    front.end('a');
    front.end('a');
    front.end('unknown');
    expect(front.runs.length).toBe(1);
    jest.advanceTimersByTime(61_000);
    expect([front.runs.length, jest.getTimerCount()]).toEqual([0, 0]);
  });
});
