import { jest } from '@jest/globals';
import { currentCell, currentCellName, runForCell } from '../../kernel/executor/context/cell-context.ts';
import type { CellSources } from '../../kernel/executor/context/cell-sources.ts';
import { reportLateErrors } from '../../kernel/executor/errors/late-errors.ts';
import { runFresh } from '../../kernel/executor/interrupt/fresh-task.ts';
import { RunningCell } from '../../kernel/executor/interrupt/running-cell.ts';
import { FrameDecoder, encodeFrame } from '../../kernel/protocol/channel.ts';
import { toCodePoints, toUtf16 } from '../../kernel/front/typescript/text-positions.ts';
import { Wire } from '../../kernel/front/sockets/wire.ts';
import { joinBuffers, splitBuffers } from '../../kernel/widgets/model/buffer-paths.ts';

describe('channel', () => {
  test.each([1, 7, 1_000])('frames survive chunks of %i bytes', size => {
    const sent = Buffer.concat([
      encodeFrame({ a: 'é' }),
      encodeFrame({ b: 2 }, [new Uint8Array([1, 2]), new Uint8Array()]),
      encodeFrame({})
    ]);
    const decoder = new FrameDecoder<object>();
    const frames = [];
    for (let start = 0; start < sent.length; start += size)
      frames.push(...decoder.push(sent.subarray(start, start + size)));
    expect(frames.map(({ message }) => message)).toEqual([{ a: 'é' }, { b: 2 }, {}]);
    expect(frames[1]!.buffers).toEqual([new Uint8Array([1, 2]), new Uint8Array()]);
  });
});

describe('the running cell', () => {
  test('is known by request and number, also after awaits while another runs', async () => {
    expect([currentCell(), currentCellName()]).toEqual(['', undefined]);
    const seen: unknown[] = [];
    const work = async (): Promise<void> => {
      await new Promise(resolve => setImmediate(resolve));
      seen.push([currentCell(), currentCellName()]);
    };
    await Promise.all([runForCell('a', work, 3), runForCell('b', work, null), runForCell('c', work)]);
    expect(seen).toEqual([
      ['a', 'In [3]'],
      ['b', undefined],
      ['c', undefined]
    ]);
    runForCell('d', () => expect(currentCellName()).toBe('In [4]'), 4);
    expect([currentCell(), currentCellName()]).toEqual(['d', 'In [4]']);
  });
});

describe('unhandled rejections', () => {
  const interruption = (code: string): Error => Object.assign(new Error(code), { code });

  test('a wait that an interrupt ended does not end the running cell when it rejects', () => {
    const interrupted = jest.fn();
    const before = new Set(process.listeners('unhandledRejection'));
    const uncaught = new Set(process.listeners('uncaughtException'));
    reportLateErrors({} as CellSources, interrupted);
    const [rejected] = process.listeners('unhandledRejection').filter(listener => !before.has(listener));
    try {
      const reject = (id: string, error: Error): void =>
        runForCell(id, () => rejected!(error, Promise.resolve()));
      const fromPython = Object.assign(interruption('ERR_PYTHON'), { type: 'KeyboardInterrupt' });
      reject('interrupted', interruption('ERR_INTERRUPTED'));
      expect(interrupted).not.toHaveBeenCalled();
      reject('interrupted', fromPython);
      expect(interrupted).toHaveBeenCalledTimes(1);
    } finally {
      process.off('unhandledRejection', rejected!);
      for (const listener of process.listeners('uncaughtException'))
        if (!uncaught.has(listener)) process.off('uncaughtException', listener);
    }
  });

  test('belong to the cell that started them, also before the next cell has run', async () => {
    const cells: string[] = [];
    const ran = new Promise<void>(resolve =>
      runForCell('next', () =>
        runFresh(() => {
          cells.push(currentCell());
          resolve();
        })
      )
    );
    expect(currentCell()).toBe('next');
    runForCell('other', () => undefined);
    await ran;
    expect(cells).toEqual(['next']);
  });
});

describe('the status word of the running cell', () => {
  test('an interrupt that arrives as its cell ends does not reach the next one', () => {
    const cell = new RunningCell();
    cell.begin();
    const thread = new RunningCell(cell.word);
    expect([thread.askToStop(1), cell.isAsked, cell.number]).toEqual([true, true, 1]);
    expect(thread.askToStop(1)).toBe(true);
    cell.begin();
    expect([thread.askToStop(1), cell.isAsked, cell.number]).toEqual([false, false, 2]);
    expect([thread.askToStop(2), cell.word[0]! & 1]).toEqual([true, 1]);
    thread.withdraw();
    expect([cell.isAsked, cell.number, cell.word[0]! & 1]).toEqual([false, 2, 0]);
  });
});

describe('wire', () => {
  const message = { type: 't', content: { x: 1 }, parent: {}, buffers: [new Uint8Array([9])] };
  const encoded = (wire: Wire): Buffer[] =>
    wire.encode([Buffer.from('peer')], message).map(frame => Buffer.from(frame));

  test('messages are sent and received', () => {
    const decoded = new Wire('key', 'sha256').decode(encoded(new Wire('key', 'sha256')));
    expect(decoded).toMatchObject({ content: { x: 1 }, header: { msg_type: 't' } });
    expect(decoded!.identities[0]).toEqual(Buffer.from('peer'));
    expect(decoded!.buffers[0]).toEqual(Buffer.from([9]));
  });

  test('messages with another key, a changed part or a repeated signature are dropped', () => {
    const frames = encoded(new Wire('key', 'sha256'));
    expect(new Wire('other', 'sha256').decode(frames)).toBeNull();
    expect(new Wire('key', 'sha256').decode(frames.with(6, Buffer.from('{"x":2}')))).toBeNull();
    const wire = new Wire('key', 'sha256');
    expect(wire.decode(frames)).not.toBeNull();
    expect(wire.decode(frames)).toBeNull();
  });

  test('without a key nothing is signed, and malformed messages are dropped', () => {
    const wire = new Wire('', 'sha256');
    expect(encoded(wire)[2]!.toString()).toBe('');
    expect(wire.decode(encoded(wire))).not.toBeNull();
    expect(wire.decode(['<IDS|MSG>', '', '{}', '{}', '{}', '{}'].map(text => Buffer.from(text)))).toBeNull();
    expect(
      wire.decode(['<IDS|MSG>', '', 'no', 'json', 'at', 'all'].map(text => Buffer.from(text)))
    ).toBeNull();
  });
});

describe('buffer paths', () => {
  test('binary values are removed from objects, and lists keep their length', () => {
    const state = {
      a: new Uint8Array([1]),
      b: { c: [0, new Float32Array([1]), { d: new ArrayBuffer(2) }] },
      e: 'text'
    };
    const split = splitBuffers(state);
    expect(split.state).toEqual({ b: { c: [0, null, {}] }, e: 'text' });
    expect(split.paths).toEqual([['a'], ['b', 'c', 1], ['b', 'c', 2, 'd']]);
    expect(split.buffers.map(buffer => buffer.byteLength)).toEqual([1, 4, 2]);
    joinBuffers(split.state, split.paths, split.buffers);
    expect(split.state).toEqual({
      a: new Uint8Array([1]),
      b: { c: [0, new Uint8Array(new Float32Array([1]).buffer), { d: new Uint8Array(2) }] },
      e: 'text'
    });
  });

  test('an invalid path is refused', () => {
    expect(() => joinBuffers({}, [['a', 'b']], [new Uint8Array()])).toThrow(RangeError);
    expect(() => joinBuffers({}, [['a']], [])).toThrow(RangeError);
  });
});

test('cursor positions count code points for clients', () => {
  expect(toUtf16('a😀b', 2)).toBe(3);
  expect(toCodePoints('a😀b', 3)).toBe(2);
  expect(toUtf16('ab', 9)).toBe(2);
});
