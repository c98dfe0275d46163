/** The recorder of exchanges itself: what it keeps, counts, displays and drops. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { stepOf } from '../../../src/pictures/handshake/steps.ts';
import { STEP_WORDS } from '../../../src/pictures/handshake/words.ts';
import { exchangeObserver } from '../../../src/interchange/observer.ts';
import { DISPLAY_METHOD } from '../../../src/notebook/host.ts';
import { asCudaArray, exchanges, Stream, zeros, type NDArray } from '../../../src/index.ts';
import { descriptorOf, rec, sim } from '../conformance/cai-support.ts';
import { only, recordExchanges, wrapped } from './exchange-records.ts';

recordExchanges();

describe('recording', () => {
  test('when it is off, no hook is installed, and earlier records stay', () => {
    using a = zeros(4, sim);
    void a.__cuda_array_interface__;
    exchanges.stop();
    expect(exchangeObserver.current).toBeNull();
    expect(exchanges.enabled).toBe(false);
    void a.__cuda_array_interface__;
    a.fill(1);
    expect(exchanges.read().events).toHaveLength(1);
    exchanges.start();
    expect(exchanges.read().events).toEqual([]);
  });

  test('using ends it', () => {
    {
      using recorder = exchanges.start();
      expect(recorder.enabled).toBe(true);
    }
    expect(exchanges.enabled).toBe(false);
  });

  test('keeps the latest and counts the others', () => {
    exchanges.start({ capacity: 3 });
    using a = zeros(4, sim);
    for (let read = 0; read < 300; read++) void a.__cuda_array_interface__;
    expect(exchanges.read().events.map(({ number }) => number)).toEqual([298, 299, 300]);
    expect(exchanges.read().dropped).toBe(297);
    expect(() => exchanges.start({ capacity: 0 })).toThrow(/capacity/);
  });

  test('hundreds of uses are counted, not stored', () => {
    using s = new Stream(sim);
    using a = zeros(4, { ...sim, stream: s });
    const source = wrapped(a);
    using b = asCudaArray(source);
    for (let use = 0; use < 500; use++) b.fill(use);
    expect(only().facts.length).toBeLessThan(40);
    expect(only().more).toBeGreaterThan(400);
  });

  test('keeps no array alive', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    using s = new Stream(sim);
    let gone: WeakRef<NDArray> | undefined;
    (() => {
      const a = zeros(4, { ...sim, stream: s });
      gone = new WeakRef(a);
      void a.__cuda_array_interface__;
    })();
    expect(exchanges.read().events).toHaveLength(1);
    await new Promise(resolve => setTimeout(resolve, 0));
    collect();
    expect(gone?.deref()).toBeUndefined();
  });

  test('names are those known to the reader, and stay', () => {
    using a = zeros(4, sim);
    const source = wrapped(a);
    const b = asCudaArray(source);
    const names = new Map<object, string>([
      [source, 'theirs'],
      [b, 'b']
    ]);
    expect(exchanges.read(value => names.get(value)).events[0]).toMatchObject({
      producer: 'theirs',
      consumer: 'b'
    });
    b.dispose();
    expect(exchanges.read().events[0]).toMatchObject({ producer: 'theirs', consumer: 'b' });
  });

  test('listeners are informed of everything', () => {
    let calls = 0;
    const end = exchanges.onChange(() => calls++);
    using a = zeros(4, sim);
    void a.__cuda_array_interface__;
    expect(calls).toBeGreaterThan(0);
    const before = calls;
    end();
    void a.__cuda_array_interface__;
    expect(calls).toBe(before);
  });
});

describe('the static picture', () => {
  test('is less than 10 KB of HTML that sanitizers keep, text, and JSON, whatever its content', () => {
    using s = new Stream(sim);
    using a = zeros(4, { ...sim, stream: s });
    const source = wrapped(a);
    for (let import_ = 0; import_ < 200; import_++) asCudaArray(source).dispose();
    const bundle = exchanges[DISPLAY_METHOD]();
    const html = bundle['text/html'] as string;
    expect(Buffer.byteLength(html)).toBeLessThan(10_000);
    expect(html).not.toMatch(/<(script|style|svg)/);
    expect(html).toContain('earlier');
    expect(bundle['text/plain']).toContain('CUDA Array Interface');
    expect(JSON.stringify(bundle).length).toBeLessThan(64 * 1024);
  });

  test('gives advice if there is nothing', () => {
    expect(exchanges[DISPLAY_METHOD]()['text/plain']).toContain('No exchange yet');
    exchanges.stop();
    expect(exchanges[DISPLAY_METHOD]()['text/html']).toContain('exchanges.start()');
  });

  test('escapes external text', () => {
    using a = zeros(4, sim);
    class Evil {
      get __cuda_array_interface__() {
        return { ...descriptorOf(a), stream: 0 };
      }
    }
    Object.defineProperty(Evil, 'name', { value: '<img src=x>' });
    expect(() => asCudaArray(new Evil())).toThrow();
    expect(exchanges[DISPLAY_METHOD]()['text/html']).not.toContain('<img');
  });

  test('every fact has a sentence with all of its values', () => {
    using s = new Stream(rec);
    using a = zeros(4, { ...rec, stream: s });
    using b = asCudaArray(wrapped(a));
    b.fill(1);
    a.__dlpack__({ stream: null }).dispose();
    for (const { facts, protocol } of exchanges.read().events)
      for (const fact of facts) {
        const { says = [], label = [] } = stepOf(fact, protocol, STEP_WORDS) ?? {};
        for (const [text = '', ...values] of [says, label]) {
          expect(text).not.toBe('');
          expect(values.join(' ')).not.toMatch(/undefined|null/);
          const used = [...text.matchAll(/%(\d)/g)].map(([, digit]) => Number(digit));
          expect(Math.max(0, ...used)).toBeLessThanOrEqual(values.length);
        }
      }
  });
});

describe('dropped exchanges', () => {
  test('are not kept alive by their memory', () => {
    exchanges.start({ capacity: 4 });
    using a = zeros(4, rec);
    const begun: WeakRef<object>[] = [];
    const { current } = exchangeObserver;
    const { registry } = current as unknown as { registry: { begin(protocol: string): object } };
    const begin = registry.begin.bind(registry);
    registry.begin = protocol => {
      const exchange = begin(protocol);
      begun.push(new WeakRef(exchange));
      return exchange;
    };
    (() => {
      for (let round = 0; round < 40; round++) void a.__cuda_array_interface__;
    })();
    expect(begun).toHaveLength(40);
    return new Promise<void>(resolve => setImmediate(resolve)).then(() => {
      setFlagsFromString('--expose-gc');
      (runInNewContext('gc') as () => void)();
      expect(begun.filter(each => each.deref() !== undefined)).toHaveLength(4);
    });
  });

  test('long messages do not hide the exchanges', () => {
    const source = {
      get __cuda_array_interface__(): never {
        throw new Error('x'.repeat(100_000));
      }
    };
    expect(() => asCudaArray(source, rec)).toThrow();
    const { picture } = exchanges[DISPLAY_METHOD]()['application/vnd.stridelab.picture+json'] as {
      picture: { exchanges: unknown[] };
    };
    expect(picture.exchanges).toHaveLength(1);
    expect(JSON.stringify(picture).length).toBeLessThan(65_536);
  });

  test('a producer whose class cannot be named is imported all the same', () => {
    using a = zeros(4, rec);
    const source = Object.defineProperty(wrapped(a), 'constructor', {
      get(): never {
        throw new Error('mine');
      }
    });
    using b = asCudaArray(source);
    expect(b.shape).toEqual([4]);
    expect(exchanges.read().events).toHaveLength(1);
  });
});
